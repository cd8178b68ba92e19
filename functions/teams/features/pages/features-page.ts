import { hiddenFields, layOutTeam, type TeamFrame } from "#shared/accounts/team-pages/layout.ts";
import type { SwitchedFeature } from "#shared/accounts/team-pages/texts.ts";
import { type Html, html } from "#shared/platform/html/html.ts";

/** A feature as a team has it. */
export interface ListedFeature {
  readonly name: SwitchedFeature;
  readonly isOn: boolean;
  readonly isLocked: boolean;
}

export function featuresPage(frame: TeamFrame, listed: readonly ListedFeature[]): Html {
  const { texts } = frame;
  const { features } = texts;
  const button = ({ name, isOn, isLocked }: ListedFeature) =>
    isLocked
      ? html`<span class="detail">${features.locked}</span>`
      : html`<form method="post" action="/account/team-features">
${hiddenFields(frame, { feature: name, status: isOn ? "disabled" : "enabled" })}<button class="plain">${isOn ? features.switchOff : features.switchOn}<span class="unseen"> – ${features.names[name]}</span></button>
</form>`;
  return layOutTeam(
    frame,
    "features",
    html`<p>${features.intro}</p>
<ul>
${listed.map(
  (feature) =>
    html`<li>${features.names[feature.name]}
<span class="detail">${feature.isOn ? features.on : features.off}</span>
${button(feature)}</li>
`,
)}</ul>`,
  );
}
