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
      "You already have an account. When you join, it will belong to the team: its admins can then remove " +
      "you, which deletes the account.",
    name: "Your name",
    newPassword: "Choose a password",
    password: "Your password",
    passwordHint: "At least 8 characters",
    register: "Create account and join",
    accept: "Join the team",
    unrequested: "If you don’t know who invited you, close this page: nothing will happen.",
  },
  problems: {
    "wrong-password": "That is not the password of your account.",
    "short-password": "The password must have 8 to 1,024 characters.",
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
    advice: "If you have already joined, log in. Otherwise ask for a new invitation.",
  },
  closedTeam: {
    problem: "This team does not accept members at the moment.",
    advice: "Please ask the person who invited you.",
  },
  fullTeam: {
    problem: "This team is full.",
    advice: "Please ask the person who invited you.",
  },
  otherTeam: {
    problem: "Your e-mail address belongs to an account that is already in a team.",
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
