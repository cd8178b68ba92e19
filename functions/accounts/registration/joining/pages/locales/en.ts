import type { Texts } from "../texts.ts";

export const en: Texts = {
  ask: {
    title: "Join a team",
    intro: (productName) => `You are invited to a team on ${productName}.`,
    team: "Team",
    inviter: "Invited by",
    address: "Your e-mail address",
    newAccount: "Create an account for your e-mail address. It will belong to the team.",
    existingAccount:
      "You have an account already. When you join, it will belong to the team: its admins can then remove you, " +
      "which deletes the account.",
    name: "Your name",
    newPassword: "Choose a password",
    password: "Your password",
    passwordHint: "At least 8 characters",
    register: "Create account and join",
    accept: "Join the team",
    unrequested: "If you don’t know who has invited you, close this page: nothing happens then.",
  },
  problems: {
    "wrong-password": "That was not the password of your account.",
    "short-password": "The password has to have 8 characters or more.",
    "no-name": "Please enter your name.",
    "too-many-attempts": "Too many attempts. Please wait a few minutes.",
  },
  done: {
    title: "You have joined",
    intro: (team) => `You are now a member of the team ${team}.`,
    outro: (productName) => `Log in to ${productName} with your e-mail address and your password.`,
    open: (productName) => `Open ${productName}`,
  },
  refusedCode: {
    problem: "This invitation is wrong, has expired, or was used or revoked.",
    advice: "If you have joined already, log in. Otherwise ask for another invitation.",
  },
  closedTeam: {
    problem: "This team does not take members at the moment.",
    advice: "Please ask the person who has invited you.",
  },
  fullTeam: {
    problem: "This team is full.",
    advice: "Please ask the person who has invited you.",
  },
  otherTeam: {
    problem: "Your e-mail address belongs to an account that is in a team already.",
    advice: "Ask for an invitation to another e-mail address.",
  },
  suspended: {
    problem: "Your account is suspended.",
    advice: "Please ask the people who run the service.",
  },
  refusedAddress: {
    problem: "Your e-mail address cannot be used for this team.",
    advice: "Ask for an invitation to another e-mail address.",
  },
};
