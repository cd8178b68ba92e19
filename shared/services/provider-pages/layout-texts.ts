import type { Translations } from "#shared/platform/html/choose-locale.ts";

/** Texts that all pages of a provider share, in one language. */
interface LayoutTexts {
  readonly nav: string;
  readonly account: string;
  readonly services: string;
  readonly logOut: string;
}

export const layoutTranslations: Translations<LayoutTexts> = {
  en: { nav: "Provider", account: "Account", services: "Your services", logOut: "Log out" },
  de: { nav: "Anbieter", account: "Konto", services: "Ihre Dienste", logOut: "Abmelden" },
  es: { nav: "Proveedor", account: "Cuenta", services: "Sus servicios", logOut: "Cerrar sesión" },
  fr: { nav: "Fournisseur", account: "Compte", services: "Vos services", logOut: "Se déconnecter" },
};
