import type { Argument, Command } from 'commander';

export interface OptionShape {
  /** The option's forms, such as `-h, --help` or `--config <file>`. */
  flags: string;
  description: string;
  names: readonly string[];
  hasValue: boolean;
  /** The possible values. Empty if any value is possible. */
  choices: readonly string[];
}

export interface ArgumentShape {
  /** The argument's form, such as `<kind>` or `[ids...]`. */
  flags: string;
  description: string;
  choices: readonly string[];
}

export interface CommandShape {
  /** The path of the command. Empty for the program itself. */
  place: string;
  /** The command's name and aliases. Empty for the program itself. */
  names: readonly string[];
  summary: string;
  description: string;
  options: readonly OptionShape[];
  arguments: readonly ArgumentShape[];
  commands: readonly CommandShape[];
}

export function describeProgram(program: Command, commands: readonly Command[]): CommandShape {
  const options = describeOptions(program);
  // Users can also write the shared options after the name of a command.
  const shared = options.filter(({ names }) => !names.includes('--version'));
  const below = commands.map((command) => describeCommand(command, [], shared));
  return {
    place: '',
    names: [],
    summary: '',
    arguments: [],
    options,
    description: program.description(),
    commands: below.map((command) =>
      command.place === 'help' ? withCommands(command, below) : command,
    ),
  };
}

/** Returns all commands. Each command comes before its subcommands in the list. */
export function listShapes(shape: CommandShape): CommandShape[] {
  return [shape, ...shape.commands.flatMap(listShapes)];
}

/** Returns the words that can follow the command: its subcommands, or the values of its first argument. */
export function listNextWords(shape: CommandShape): { word: string; description: string }[] {
  const commands = shape.commands.flatMap(({ names: [word = ''], summary }) => ({
    word,
    description: summary,
  }));
  const [first] = shape.arguments;
  return [...commands, ...(first?.choices ?? []).map((word) => ({ word, description: '' }))];
}

/**
 * Adds the commands to the words that can follow `help`. Error codes can also follow `help`, so commander must not
 * restrict the words.
 */
function withCommands(help: CommandShape, commands: readonly CommandShape[]): CommandShape {
  const choices = commands.map(({ place }) => place);
  const [first, ...others] = help.arguments;
  return first === undefined ? help : { ...help, arguments: [{ ...first, choices }, ...others] };
}

function describeCommand(
  command: Command,
  above: readonly string[],
  shared: readonly OptionShape[],
): CommandShape {
  const place = [...above, command.name()];
  const own = describeOptions(command);
  const options = [
    ...own,
    ...shared.filter(({ flags }) => !own.some((one) => one.flags === flags)),
  ];
  return {
    place: place.join(' '),
    names: [command.name(), ...command.aliases()],
    summary: command.summary() || command.description(),
    description: command.description(),
    options,
    arguments: command.registeredArguments.map(describeArgument),
    commands: command.commands.map((one) => describeCommand(one, place, options)),
  };
}

function describeOptions(command: Command): OptionShape[] {
  const help = command.createHelp();
  return help.visibleOptions(command).map((option) => ({
    flags: option.flags,
    description: option.description,
    names: [option.short, option.long].filter((name) => name !== undefined),
    hasValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  }));
}

function describeArgument(argument: Argument): ArgumentShape {
  const { description, argChoices: choices = [] } = argument;
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return { flags: argument.required ? `<${name}>` : `[${name}]`, description, choices };
}
