import type { Texts } from "../texts.ts";

export const es: Texts = {
  logIn: {
    title: "Iniciar sesión",
    intro: (application) => `Inicia sesión para decidir si ${application} puede acceder a tu cuenta.`,
    identity: "Correo electrónico o alias",
    password: "Contraseña",
    submit: "Iniciar sesión",
  },
  secondFactor: {
    title: "Introduce tu código",
    intro: "Hemos enviado un código a tu correo electrónico.",
    code: "Código de verificación",
    submit: "Continuar",
    again: "Volver a empezar",
  },
  consent: {
    title: (application) => `¿Permitir que ${application} acceda a tu cuenta?`,
    account: "Tu cuenta",
    redirect: "Volverás a",
    asks: "Pide permiso para:",
    asksNothing: "No pide ningún permiso. Solo sabrá que has aceptado.",
    scopes: {
      "read:self": "ver tu perfil, con tu correo electrónico",
      "write:conversations": "empezar conversaciones en tu nombre",
      "write:conversations_code": "crear enlaces de invitado a tus conversaciones",
      "read:feature_configs": "ver qué funciones puedes usar",
    },
    note: "Puedes retirarlo en cualquier momento.",
    allow: "Permitir",
    deny: "No permitir",
    otherAccount: "Usar otra cuenta",
  },
  refusal: {
    title: "Así no se puede continuar",
    advice: "Vuelve a la aplicación e inténtalo de nuevo. Si vuelve a pasar, avisa a quienes la hacen.",
  },
  problems: {
    "wrong-credentials": "El correo o alias y la contraseña no coinciden.",
    "wrong-code": "El código no es correcto o ha caducado.",
    "pending-activation": "Tu cuenta aún no está activada. Confirma primero tu correo electrónico.",
    suspended: "Tu cuenta está suspendida.",
    "too-many-tries": "Demasiados intentos. Espera unos minutos y vuelve a intentarlo.",
    "session-ended": "Has tardado demasiado. Inicia sesión de nuevo.",
    "unknown-application": "La aplicación que te ha enviado aquí no está registrada.",
    "wrong-redirect": "La aplicación quiere enviarte a una dirección que no tiene registrada.",
    "bad-request": "La petición de la aplicación está incompleta o mal formada.",
    "switched-off": "El acceso de aplicaciones está desactivado aquí.",
    "server-error": "Algo ha fallado por nuestra parte.",
  },
};
