import type { Texts } from "../texts.ts";

export const en: Texts = {
  logInIntro: (appName) => `Log in to decide whether “${appName}” may access your account.`,
  consent: {
    title: (appName) => `Let “${appName}” access your account?`,
    account: "Your account",
    redirect: "You will continue to",
    asks: "The app wants to:",
    asksNothing: "The app asks for no permissions. It only learns that you agreed.",
    scopes: {
      openid: "recognise you when you come back",
      profile: "see your name, handle and language",
      email: "see your e-mail address",
      "read:self": "see your profile, with your e-mail address",
      "write:conversations": "start conversations in your name",
      "write:conversations_code": "create guest links to your conversations",
      "read:feature_configs": "see which features you can use",
    },
    note: "You can withdraw this at any time.",
    allow: "Allow",
    deny: "Don’t allow",
    otherAccount: "Use another account",
  },
  endSession: {
    title: "Log out?",
    asks: (name) => `You are logged in as ${name}.`,
    logOut: "Log out",
    note: "Close this page to stay logged in. Apps keep the access that you gave them.",
    doneTitle: "You are logged out",
    done: "You can close this page.",
  },
  refusal: {
    title: "You can’t continue here",
    advice: "Go back to the app and try again. If it happens again, tell the people who make the app.",
  },
  problems: {
    "unknown-app": "The app that sent you here is not registered.",
    "wrong-redirect": "The app wants you to return to an address that isn’t registered for it.",
    "bad-request": "The request is incomplete or malformed.",
    "switched-off": "Access for apps is switched off here.",
    "server-error": "Something went wrong on our side.",
  },
};
