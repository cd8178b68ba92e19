import type { Texts } from "../texts.ts";

export const es: Texts = {
  direction: "ltr",
  emails: {
    verification: (productName) => ({
      subject: `Su código de verificación de ${productName}`,
      heading: "Confirme su dirección de correo",
      intro: `Introduzca este código en ${productName} para confirmar que esta dirección de correo electrónico es suya:`,
      unrequested: "Si no ha solicitado ningún código, ignore este mensaje: sin el código no ocurrirá nada.",
    }),
    activation: (productName) => ({
      subject: `Confirme su dirección de correo para ${productName}`,
      heading: "Confirme su dirección de correo",
      intro: `Esta dirección de correo electrónico se ha indicado para una cuenta de ${productName}. Confirme que es suya:`,
      link: { label: "Confirmar la dirección", alternative: `O introduzca este código en ${productName}:` },
      unrequested:
        "Si no ha sido usted, ignore este mensaje: la dirección no se puede confirmar sin el enlace o el código.",
    }),
    "password-reset": (productName) => ({
      subject: `Restablezca su contraseña de ${productName}`,
      heading: "Restablezca su contraseña",
      intro: `Introduzca este código en ${productName} para elegir una contraseña nueva:`,
      unrequested:
        "Si no lo ha solicitado, ignore este mensaje: su contraseña no cambiará. " +
        "No comparta el código con nadie.",
    }),
  },
  sms: {
    "activation-sms": ({ productName, code, lifetime }) =>
      `${code} es su código de activación de ${productName}, válido ${lifetime} como máximo. ` +
      "Si no lo ha solicitado, ignore este SMS.",
    "login-sms": ({ productName, code, lifetime }) =>
      `${code} es su código de acceso a ${productName}, válido ${lifetime} como máximo. ` +
      "No lo comparta. Si no lo ha solicitado, ignore este SMS.",
    "password-reset-sms": ({ productName, code, lifetime }) =>
      `${code} es su código para cambiar la contraseña de ${productName}, válido ${lifetime} como máximo. ` +
      "No lo comparta. Si no lo ha pedido, ignórelo.",
  },
  validity: (lifetime) => `El código es válido durante ${lifetime} como máximo.`,
  footer: (productName, address) =>
    `${productName} ha enviado este mensaje automáticamente a ${address}. Las respuestas no se leen.`,
};
