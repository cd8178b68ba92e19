import type { Texts } from "../texts.ts";

export const es: Texts = {
  ask: {
    title: "¿Eliminar su cuenta?",
    intro: (productName) =>
      `Su cuenta de ${productName} se eliminará para siempre. Esto no se puede deshacer.`,
    consequences: [
      "Se cerrará la sesión en todos sus dispositivos.",
      "Se borrarán su perfil, sus contactos y sus ajustes.",
      "Saldrá de todas las conversaciones. Lo que haya escrito seguirá en manos de quienes lo recibieron.",
      "Su correo electrónico, su teléfono y su alias podrán usarse para otra cuenta.",
    ],
    submit: "Eliminar la cuenta",
    unrequested:
      "Si no lo ha solicitado, cierre esta página: su cuenta no cambiará. " +
      "Cambie su contraseña, porque es posible que otra persona tenga acceso a su cuenta.",
  },
  done: {
    title: "Su cuenta se ha eliminado",
    outro: (productName) => `Gracias por haber usado ${productName}. Ya puede cerrar esta página.`,
  },
  refusedCode: {
    problem: "Este enlace no es correcto, ha caducado o ya se ha usado.",
    advice: "Si todavía quiere eliminar su cuenta, solicítelo de nuevo en la aplicación.",
  },
};
