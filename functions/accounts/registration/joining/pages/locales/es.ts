import type { Texts } from "../texts.ts";

export const es: Texts = {
  ask: {
    title: "Únase a un equipo",
    intro: (productName) => `Le han invitado a un equipo de ${productName}.`,
    team: "Equipo",
    inviter: "Invitación de",
    address: "Su dirección de correo",
    newAccount: "Cree una cuenta para su dirección de correo. Pertenecerá al equipo.",
    existingAccount:
      "Ya tiene una cuenta. Cuando se una, pertenecerá al equipo: sus administradores podrán entonces retirarle, " +
      "y con ello se elimina la cuenta.",
    name: "Su nombre",
    newPassword: "Elija una contraseña",
    password: "Su contraseña",
    passwordHint: "8 caracteres como mínimo",
    register: "Crear la cuenta y unirse",
    accept: "Unirse al equipo",
    unrequested: "Si no sabe quién le ha invitado, cierre esta página: no ocurrirá nada.",
  },
  problems: {
    "wrong-password": "Esa no es la contraseña de su cuenta.",
    "short-password": "La contraseña debe tener entre 8 y 1024 caracteres.",
    "no-name": "Introduzca su nombre.",
    "too-many-attempts": "Demasiados intentos. Espere unos minutos.",
  },
  done: {
    title: "Se ha unido al equipo",
    intro: (team) => `Ahora es miembro del equipo ${team}.`,
    outro: (productName) => `Inicie sesión en ${productName} con su dirección de correo y su contraseña.`,
    open: (productName) => `Abrir ${productName}`,
  },
  refusedCode: {
    problem: "Esta invitación es incorrecta, ha caducado, se ha utilizado o se ha retirado.",
    advice: "Si ya se ha unido, inicie sesión. Si no, pida otra invitación.",
  },
  closedTeam: {
    problem: "Este equipo no admite miembros en este momento.",
    advice: "Pregunte a la persona que le ha invitado.",
  },
  fullTeam: {
    problem: "Este equipo está completo.",
    advice: "Pregunte a la persona que le ha invitado.",
  },
  otherTeam: {
    problem: "Su dirección de correo pertenece a una cuenta que ya está en un equipo.",
    advice: "Pida una invitación para otra dirección de correo.",
  },
  suspended: {
    problem: "Su cuenta está suspendida.",
    advice: "Pregunte a los responsables del servicio.",
  },
  refusedAddress: {
    problem: "Su dirección de correo no se puede utilizar para este equipo.",
    advice: "Pida una invitación para otra dirección de correo.",
  },
};
