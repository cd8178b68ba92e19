import type { Texts } from "../texts.ts";

export const es: Texts = {
  ask: {
    title: "Confirme su dirección de correo",
    intro: (productName) =>
      `Su dirección de correo electrónico se ha indicado para una cuenta de ${productName}. Confirme que es suya.`,
    existing: (name) => `Cuenta existente: ${name}`,
    registered: (name) => `Cuenta nueva: ${name}`,
    submit: "Confirmar la dirección",
    unrequested: "Si no ha sido usted, cierre esta página: la dirección no se confirmará.",
  },
  done: {
    confirmed: "Su dirección de correo está confirmada",
    wasConfirmed: "Su dirección de correo ya estaba confirmada",
    account: (name) => `Cuenta: ${name}`,
    outro: (productName) => `Ya puede cerrar esta página y continuar en ${productName}.`,
  },
  refusedCode: {
    problem: "Este enlace no es correcto, ha caducado o se ha sustituido por uno más reciente.",
    advice: "Abra el enlace del mensaje más reciente o solicite otro mensaje en la aplicación.",
  },
  takenAddress: {
    problem: "Otra cuenta ya usa esta dirección de correo.",
    advice: "Inicie sesión en esa cuenta o indique otra dirección de correo en la aplicación.",
  },
  closedDomain: {
    problem: "La organización a la que pertenece esta dirección de correo no permite usarla aquí.",
    advice:
      "Pregunte a su organización cómo iniciar sesión, o indique otra dirección de correo en la aplicación.",
  },
};
