import type { Texts } from "../texts.ts";

export const es: Texts = {
  logInIntro: (appName) => `Inicie sesión para decidir si «${appName}» puede acceder a su cuenta.`,
  consent: {
    title: (appName) => `¿Permitir que «${appName}» acceda a su cuenta?`,
    account: "Su cuenta",
    redirect: "Volverá a",
    asks: "La aplicación pide permiso para:",
    asksNothing: "La aplicación no pide ningún permiso. Solo sabrá que usted ha aceptado.",
    scopes: {
      openid: "reconocerle cuando vuelva",
      profile: "ver su nombre, su nombre de usuario y su idioma",
      email: "ver su correo electrónico",
      "read:self": "ver su perfil, con su correo electrónico",
      "write:conversations": "empezar conversaciones en su nombre",
      "write:conversations_code": "crear enlaces de invitado a sus conversaciones",
      "read:feature_configs": "ver qué funciones puede usar",
    },
    note: "Puede retirarlo en cualquier momento.",
    allow: "Permitir",
    deny: "No permitir",
    otherAccount: "Usar otra cuenta",
  },
  endSession: {
    title: "¿Cerrar sesión?",
    asks: (name) => `Ha iniciado sesión como ${name}.`,
    logOut: "Cerrar sesión",
    note: "Cierre esta página para seguir conectado. Las aplicaciones conservan el acceso que les dio.",
    doneTitle: "Ha cerrado la sesión",
    done: "Puede cerrar esta página.",
  },
  refusal: {
    title: "No se puede continuar",
    advice: "Vuelva a la aplicación e inténtelo de nuevo. Si vuelve a pasar, avise a sus responsables.",
  },
  problems: {
    "unknown-app": "La aplicación que le ha enviado aquí no está registrada.",
    "wrong-redirect": "La aplicación quiere enviarle a una dirección que no tiene registrada.",
    "bad-request": "La petición está incompleta o mal formada.",
    "switched-off": "El acceso de aplicaciones está desactivado aquí.",
    "server-error": "Algo ha fallado por nuestra parte.",
  },
};
