import type { Texts } from "../texts.ts";

export const es: Texts = {
  ask: {
    title: "Confirme su dirección de correo",
    intro: (productName) =>
      `Su dirección de correo electrónico se ha indicado para la cuenta de un proveedor de servicios en ${productName}. Confirme que es suya.`,
    submit: "Confirmar la dirección",
    unrequested: "Si no ha sido usted, cierre esta página: la dirección no se confirmará.",
  },
  confirmed: {
    now: "Su dirección de correo está confirmada",
    before: "Su dirección de correo ya estaba confirmada",
    outro: (productName) => `Ya puede cerrar esta página e iniciar sesión como proveedor en ${productName}.`,
  },
  reset: {
    title: "Elija una contraseña nueva",
    intro: (productName) => `Es para su cuenta de proveedor de servicios en ${productName}.`,
    email: "Correo electrónico",
    emailHint: "Opcional, para su gestor de contraseñas",
    password: "Contraseña nueva",
    hint: "6 caracteres como mínimo",
    submit: "Guardar la contraseña",
    unrequested: "Si no lo ha solicitado, cierre esta página: su contraseña no cambiará.",
  },
  resetDone: {
    title: "Su contraseña ha cambiado",
    outro: "Ya puede cerrar esta página e iniciar sesión con ella.",
  },
  logIn: "Iniciar sesión como proveedor",
  problems: {
    "short-password": "La contraseña debe tener entre 6 y 1024 caracteres.",
    "same-password": "Esta es su contraseña actual. Elija otra.",
  },
  refusedCode: {
    problem: "Este enlace no es correcto, ha caducado o ya se ha usado.",
    advice: "Abra el enlace del mensaje más reciente o solicite otro.",
  },
  takenAddress: {
    problem: "Otro proveedor ya usa esta dirección de correo.",
    advice: "Inicie sesión en esa cuenta o indique otra dirección de correo.",
  },
  closed: {
    problem: "Aquí no se pueden usar servicios.",
    advice: "Pregunte a quien administra este servidor.",
  },
};
