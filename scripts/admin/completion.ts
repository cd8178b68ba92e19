import { join } from "node:path";
import { type Argument, type Command, defineCommand, type Option } from "./command.ts";
import { commonOptions } from "./command-line.ts";

export const completion = defineCommand({
  name: "completion",
  summary:
    "Print a script that defines parley-admin, short for npm run admin --, and completes its commands and options",
  examples: [
    "completion bash > ~/.parley-admin && echo '. ~/.parley-admin' >> ~/.bashrc",
    "completion zsh > ~/.parley-admin && echo '. ~/.parley-admin' >> ~/.zshrc",
  ],
  effect: "reads",
  isForTerminal: true,
  arguments: { shell: { kind: "choice", description: "the shell", choices: ["bash", "zsh"] } },
  async *run({ commands }, { shell }) {
    // The functions of Bash that the script calls are part of Zsh, too.
    const preparation =
      shell === "zsh" ? "autoload -U +X compinit bashcompinit\ncompinit\nbashcompinit\n" : "";
    yield `${preparation}${completionScript(commands)}`;
  },
});

/** The script contains everything, because starting Node at each key would be too slow. */
function completionScript(commands: readonly Command[]): string {
  const scripts = join(import.meta.dirname, "..");
  return `parley-admin() { node '${join(scripts, "node24.mjs")}' '${join(scripts, "admin.ts")}' "$@"; }
_parley_admin() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" typed="" offered="" count=0 index=1 word
  while [ "$index" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[index]}"
    case "$word" in
      ${flags(commands).join("|")}) ;;
      --*) index=$((index + 1)) ;;
      *) typed="$typed $word"; count=$((count + 1)) ;;
    esac
    index=$((index + 1))
  done
  case "$typed " in
${commands.toSorted(byLength).map(commandCase).join("\n")}
${groupCases(commands).join("\n")}
  esac
  if [ "$offered" = FILES ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  else COMPREPLY=($(compgen -W "$offered" -- "$current")); fi
}
complete -F _parley_admin parley-admin
`;
}

type Field = Argument | Option;

const byLength = (one: Command, other: Command) => other.name.length - one.name.length;

const flags = (commands: readonly Command[]): string[] => {
  const options = [commonOptions, ...commands.map(({ options: own }) => own)].flatMap((one) =>
    Object.entries<Option>(one),
  );
  return [...new Set(options.filter(([, { kind }]) => kind === "flag").map(([name]) => `--${name}`))];
};

/** The words that can follow a command: the choices of an option or of an argument, or the options. */
function commandCase({ name, arguments: named, options: own }: Command): string {
  const options: Record<string, Option> = { ...own, ...commonOptions };
  const ofOptions = Object.entries(options).flatMap(([option, field]) => {
    if (field.kind === "flag") return [];
    return [`        --${option}) offered="${valuesOf(field)}" ;;`];
  });
  const words = name.split(" ").length;
  const ofArguments = Object.values<Argument>(named).flatMap((field, place) => {
    const values = valuesOf(field);
    const at = field.isRepeated ? "*" : String(words + place);
    return values === "" ? [] : [`          ${at}) offered="${values}" ;;`];
  });
  const all = Object.keys(options).map((option) => `--${option}`);
  return `    " ${name} "*)
      case "$previous" in
${ofOptions.join("\n")}
        *) case "$count" in
${ofArguments.join("\n")}
          esac
          case "$current" in -*) offered="${all.join(" ")}" ;; esac ;;
      esac ;;`;
}

const valuesOf = ({ kind, choices }: Field): string =>
  kind === "file" ? "FILES" : (choices ?? []).join(" ");

/** The words that can follow the first words of commands. */
function groupCases(commands: readonly Command[]): string[] {
  const following = new Map([["", new Set(["help"])]]);
  for (const words of commands.map(({ name }) => name.split(" ")))
    for (const [place, word] of words.entries()) {
      const before = words.slice(0, place).join(" ");
      following.set(before, (following.get(before) ?? new Set()).add(word));
    }
  return [...following].map(([before, words]) => {
    const typed = before === "" ? " " : ` ${before} `;
    return `    "${typed}") offered="${[...words].join(" ")}" ;;`;
  });
}
