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
    "team-activation": (productName) => ({
      subject: `Confirme su dirección de correo para su equipo de ${productName}`,
      heading: "Confirme su dirección de correo",
      intro: `Esta dirección de correo electrónico se ha indicado para una cuenta de ${productName} que crea un equipo. Confirme que es suya:`,
      link: { label: "Confirmar la dirección", alternative: `O introduzca este código en ${productName}:` },
      unrequested:
        "Si no ha sido usted, ignore este mensaje: ni la cuenta ni el equipo se activan sin el enlace o el código.",
    }),
    "password-reset": (productName) => ({
      subject: `Restablezca su contraseña de ${productName}`,
      heading: "Restablezca su contraseña",
      intro: `Elija una contraseña nueva para su cuenta de ${productName}:`,
      link: {
        label: "Elegir una contraseña nueva",
        alternative: `O introduzca este código en ${productName}:`,
      },
      unrequested:
        "Si no lo ha solicitado, ignore este mensaje: su contraseña no cambiará. " +
        "No comparta el enlace ni el código con nadie.",
    }),
    "second-factor": (productName) => ({
      subject: `Su código de seguridad de ${productName}`,
      heading: "Confirme que es usted",
      intro: `Introduzca este código en ${productName} para confirmar que es usted:`,
      unrequested:
        "Si no ha solicitado ningún código, es posible que otra persona intente usar su cuenta. " +
        "Para ello necesita el código: no lo comparta con nadie.",
    }),
    deletion: (productName) => ({
      subject: `Elimine su cuenta de ${productName}`,
      heading: "Elimine su cuenta",
      intro: `Ha solicitado eliminar su cuenta de ${productName}. Una vez confirmado, no se puede deshacer:`,
      link: { label: "Eliminar la cuenta", alternative: `O introduzca este código en ${productName}:` },
      unrequested:
        "Si no lo ha solicitado, no use ni el enlace ni el código: su cuenta no cambiará. " +
        "Cambie su contraseña, porque es posible que otra persona tenga acceso a su cuenta.",
    }),
    "new-device": (productName) => ({
      subject: `Dispositivo nuevo en su cuenta de ${productName}`,
      heading: "Se ha añadido un dispositivo",
      intro: `Su cuenta de ${productName} se usa ahora en otro dispositivo:`,
      unrequested: `Si no ha sido usted, quite el dispositivo en los ajustes de ${productName} y cambie su contraseña.`,
    }),
    welcome: (productName) => ({
      subject: `Le damos la bienvenida a su equipo de ${productName}`,
      heading: "Le damos la bienvenida a su equipo",
      intro: `Su cuenta de ${productName} pertenece ahora a un equipo:`,
      link: { label: `Abrir ${productName}` },
      unrequested: `Si no ha sido usted, cambie su contraseña de ${productName}: es posible que otra persona tenga acceso a su cuenta.`,
    }),
    "identity-provider-changed": (productName) => ({
      subject: `El inicio de sesión único de su equipo de ${productName} ha cambiado`,
      heading: "El inicio de sesión único ha cambiado",
      intro: `Ha cambiado un proveedor de identidad con el que se inicia sesión en su equipo de ${productName}:`,
      unrequested:
        "Si no se ha acordado en su equipo, revise sus proveedores de identidad: quien controla uno puede " +
        "iniciar sesión con las cuentas correspondientes.",
    }),
    "provider-activation": (productName) => ({
      subject: `Confirme su dirección de correo como proveedor en ${productName}`,
      heading: "Confirme su dirección de correo",
      intro: `Esta dirección de correo electrónico se ha indicado para una cuenta de proveedor de servicios en ${productName}. Confirme que es suya:`,
      link: { label: "Confirmar la dirección", alternative: "O utilice este código:" },
      unrequested:
        "Si no ha sido usted, ignore este mensaje: la cuenta no se puede usar sin el enlace o el código.",
    }),
    "provider-email-change": (productName) => ({
      subject: `Confirme su nueva dirección de correo como proveedor en ${productName}`,
      heading: "Confirme su nueva dirección de correo",
      intro: `Su cuenta de proveedor de servicios en ${productName} va a tener esta dirección de correo electrónico. Confirme que es suya:`,
      link: { label: "Confirmar la dirección", alternative: "O utilice este código:" },
      unrequested:
        "Si no ha sido usted, ignore este mensaje: la cuenta conserva su dirección anterior sin el enlace o el código.",
    }),
    "provider-password-reset": (productName) => ({
      subject: `Restablezca su contraseña de proveedor en ${productName}`,
      heading: "Restablezca su contraseña",
      intro: `Elija una contraseña nueva para su cuenta de proveedor de servicios en ${productName}:`,
      link: { label: "Elegir una contraseña nueva", alternative: "O utilice este código:" },
      unrequested:
        "Si no lo ha solicitado, ignore este mensaje: su contraseña no cambiará. " +
        "No comparta el enlace ni el código con nadie.",
    }),
    "provider-approved": (productName) => ({
      subject: `Le damos la bienvenida como proveedor en ${productName}`,
      heading: "Su cuenta está lista",
      intro: `Ya puede iniciar sesión como proveedor y ofrecer servicios en ${productName}.`,
      unrequested:
        "Si no ha sido usted, otra persona tiene acceso a su buzón: protéjalo y restablezca la contraseña de la cuenta.",
    }),
    "webhook-off": (productName) => ({
      subject: `Se ha desactivado un webhook de ${productName}`,
      heading: "Se ha desactivado un webhook",
      intro:
        "Ya no se envían eventos a este receptor, porque los ha rechazado o no ha respondido durante una semana, o porque no quiere recibir más:",
      unrequested:
        "Lo que ocurra mientras tanto no se enviará después. Cuando el receptor vuelva a funcionar, un administrador puede pedir que se active el webhook.",
    }),
    "team-invitation": (productName) => ({
      subject: `Le han invitado a un equipo de ${productName}`,
      heading: "Únase a un equipo",
      intro: `Le han invitado a un equipo de ${productName}:`,
      link: {
        label: "Unirse al equipo",
        alternative: "Para unirse, creará una cuenta para esta dirección de correo.",
      },
      unrequested:
        "Si no sabe quién le ha invitado, ignore este mensaje: sin el enlace no ocurre nada. " +
        "No lo reenvíe: quien tenga el enlace puede unirse en su lugar.",
    }),
    "team-invitation-existing": (productName) => ({
      subject: `Le han invitado a un equipo de ${productName}`,
      heading: "Únase a un equipo",
      intro: `Le han invitado a unirse a un equipo con su cuenta de ${productName}:`,
      link: { label: "Unirse al equipo", alternative: "Cuando se una, su cuenta pertenecerá al equipo." },
      unrequested: "Si no sabe quién le ha invitado, ignore este mensaje: su cuenta no cambiará.",
    }),
  },
  sms: {
    "activation-sms": ({ productName, code, name, lifetime }) =>
      `${code} es su código de activación de ${productName}${name && ` (cuenta ${name})`}, válido ${lifetime} como máximo. ` +
      "Si no lo ha solicitado, ignore este SMS.",
    "login-sms": ({ productName, code, lifetime }) =>
      `${code} es su código de acceso a ${productName}, válido ${lifetime} como máximo. ` +
      "No lo comparta. Si no lo ha solicitado, ignore este SMS.",
    "deletion-sms": ({ productName, link, lifetime }) =>
      `Eliminar su cuenta de ${productName} para siempre: ${link} (válido ${lifetime} como máximo). ` +
      "Si no lo ha pedido, ignórelo.",
    "password-reset-sms": ({ productName, code, lifetime }) =>
      `${code} es su código para cambiar la contraseña de ${productName}, válido ${lifetime} como máximo. ` +
      "No lo comparta. Si no lo ha pedido, ignórelo.",
  },
  validity: (lifetime) => `El código es válido durante ${lifetime} como máximo.`,
  account: {
    existing: (name) => `Cuenta existente: ${name}`,
    registered: (name) => `Cuenta nueva: ${name}`,
    requestedAt: (time) => `Solicitado: ${time}`,
    contested: "Otra cuenta también ha pedido esta dirección. Confirme solo la suya.",
  },
  team: {
    founded: (team) => `Equipo nuevo: ${team}`,
    member: (name) => `Nombre: ${name}`,
    address: (address) => `Dirección de correo: ${address}`,
    team: (team) => `Equipo: ${team}`,
    teamId: (teamId) => `Identificador del equipo: ${teamId}`,
  },
  invitation: {
    inviter: (address) => `Invitación de: ${address}`,
    validity: (lifetime) => `La invitación es válida ${lifetime} como máximo.`,
  },
  identityProvider: {
    created: (id) => `Nuevo proveedor de identidad: ${id}`,
    updated: (id) => `Proveedor de identidad modificado: ${id}`,
    deleted: (id) => `Proveedor de identidad eliminado: ${id}`,
    admin: (name) => `Por: ${name}`,
    issuer: (issuer) => `Emisor: ${issuer}`,
    formerIssuer: (issuer) => `Emisor anterior: ${issuer}`,
    endpoint: (url) => `Dirección: ${url}`,
    formerEndpoint: (url) => `Dirección anterior: ${url}`,
    addedCertificate: (fingerprint) => `Certificado añadido (SHA-256): ${fingerprint}`,
    removedCertificate: (fingerprint) => `Certificado retirado (SHA-256): ${fingerprint}`,
  },
  webhook: {
    host: (host) => `Receptor: ${host}`,
    id: (id) => `Webhook: ${id}`,
  },
  device: {
    label: (label) => `Nombre: ${label}`,
    model: (model) => `Modelo: ${model}`,
    addedAt: (time) => `Añadido: ${time}`,
  },
  footer: (productName, address) =>
    `${productName} ha enviado este mensaje automáticamente a ${address}. Las respuestas no se leen.`,
};
