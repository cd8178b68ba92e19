import type { Locale } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { maxLength } from "#shared/platform/html/typed-fields.ts";
import type { ActiveProvider } from "#shared/services/provider.ts";
import {
  area,
  doneNote,
  field,
  layOutForProvider,
  ownPasswordField,
  problemNote,
  tokenField,
} from "#shared/services/provider-pages/layout.ts";
import { type Service, serviceTag } from "#shared/services/service.ts";
import { isDone, type Outcome } from "./outcomes.ts";
import type { TypedService } from "./schemas.ts";
import type { Texts } from "./texts.ts";

/** Shown on every page. */
export interface Frame {
  readonly texts: Texts;
  readonly language: Locale;
  readonly provider: Pick<ActiveProvider, "email">;
  readonly formToken: string;
  /** What the last form did, or why it did nothing. */
  readonly outcome: Outcome | undefined;
}

const layOut = ({ texts, language, formToken, outcome }: Frame, title: string, content: Html) => {
  const noteOf = isDone(outcome ?? "") ? doneNote : problemNote;
  const note = outcome === undefined ? undefined : noteOf(texts.outcomes[outcome]);
  return {
    title,
    body: layOutForProvider({ language, current: "services", title, formToken, note }, content),
  };
};

const newServiceLink = ({ list }: Texts): Html =>
  html`<p><a href="/provider/services/page/new">${list.create}</a></p>`;

/** All services of a provider. */
export function listPage(frame: Frame, services: readonly Service[]) {
  const { list } = frame.texts;
  const items = services.map(
    ({ serviceId, name, summary, isEnabled }) =>
      html`<li><a href="/provider/services/page/one?id=${serviceId}">${name}</a> <span class="muted">${isEnabled ? list.enabled : list.disabled}</span><br>${summary}</li>
`,
  );
  const content =
    services.length === 0
      ? html`<p>${list.none}</p>`
      : html`<ul>
${items}</ul>`;
  return layOut(
    frame,
    list.title,
    html`${content}
${newServiceLink(frame.texts)}`,
  );
}

interface TypedProfile {
  readonly name?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
}

const profileFields = ({ fields }: Texts, { name, summary, description, tags }: TypedProfile): Html => {
  const short = maxLength(128);
  const choices = [1, 2, 3].map((number) => {
    const chosen = tags[number - 1] ?? "";
    const options = ["", ...serviceTag.options].map(
      (tag) => html`<option${tag === chosen ? html` selected` : undefined}>${tag}</option>`,
    );
    return html`<select id="tag${number.toString()}" name="tag${number.toString()}" aria-label="${fields.tag} ${number.toString()}"${number === 1 ? html` required` : undefined}>${options}</select>
`;
  });
  return html`${field({ name: "name", label: fields.name, value: name, hint: fields.nameHint, attributes: short })}${field(
    { name: "summary", label: fields.summary, value: summary, attributes: short },
  )}${area({
    name: "description",
    label: fields.description,
    value: description,
    attributes: html` rows="3"${maxLength(1024)}`,
  })}<fieldset>
<legend>${fields.tags}</legend>
${choices}</fieldset>
`;
};

const addressField = ({ fields }: Texts, value: string | undefined): Html =>
  field({
    name: "base_url",
    label: fields.address,
    value,
    hint: fields.addressHint,
    attributes: html` type="url" maxlength="2000"`,
  });

const keysField = ({ fields }: Texts, value: string | undefined, hint: string): Html =>
  area({
    name: "keys",
    label: fields.keys,
    value,
    hint,
    attributes: html` class="code" rows="6" spellcheck="false"`,
  });

/** Asks for a new service. */
export function newServicePage(frame: Frame, typed: Partial<TypedService>) {
  const { texts, formToken } = frame;
  const tags = [typed.tag1, typed.tag2, typed.tag3].map((tag) => tag ?? "");
  return layOut(
    frame,
    texts.create.title,
    html`<p>${texts.create.intro}</p>
<form method="post" action="/provider/services/page/new">
${tokenField(formToken)}
${profileFields(texts, { ...typed, tags })}${addressField(texts, typed.base_url)}${keysField(texts, typed.keys, texts.fields.keyHint)}<div class="actions"><button class="primary">${texts.create.submit}</button></div>
</form>`,
  );
}

/** One service: its profile, its connection, and its deletion. */
export function servicePage(frame: Frame, service: Service) {
  const { texts, formToken, provider } = frame;
  const { fields, one } = texts;
  const hidden = html`${tokenField(formToken)}
<input type="hidden" name="id" value="${service.serviceId}">`;
  const isEnabled = service.isEnabled ? html` checked` : undefined;
  return layOut(
    frame,
    service.name,
    html`<dl>
<dt>${one.id}</dt><dd>${service.serviceId}</dd>
<dt>${one.provider}</dt><dd>${service.providerId}</dd>
</dl>
<h2>${one.profile}</h2>
<form method="post" action="/provider/services/page/one">
${hidden}
${profileFields(texts, service)}<div class="actions"><button class="primary">${one.save}</button></div>
</form>
<h2>${one.connection}</h2>
<form method="post" action="/provider/services/page/connection">
${hidden}
${addressField(texts, service.baseUrl)}${keysField(texts, service.keys.map(({ pem }) => pem.trim()).join("\n"), fields.keysHint)}${area(
  {
    name: "tokens",
    label: fields.tokens,
    value: service.authTokens.join("\n"),
    hint: fields.tokensHint,
    attributes: html` class="code" rows="2" spellcheck="false"`,
  },
)}<label class="choice"><input type="checkbox" name="enabled" value="yes"${isEnabled}><span>${one.enabled}</span></label>
${ownPasswordField(provider, fields.password)}<div class="actions"><button class="primary">${one.connect}</button></div>
</form>
<h2>${one.deletion}</h2>
<p>${one.deletionIntro}</p>
<form method="post" action="/provider/services/page/deletion">
${hidden}
${ownPasswordField(provider, fields.password, { id: "deletion-password" })}<div class="actions"><button class="danger">${one.deletion}</button></div>
</form>`,
  );
}
