/** Asks a set-up question in the terminal, unless its option answers it. */
import {
  checkAnswer,
  checkedBy,
  findOptions,
  findProblem,
  NONE,
  type Question,
} from '../../../../clients/setup/interview/question.ts';
import { usageError } from '../../terminal/output.ts';
import { askChoice, askMany, askText, type Choice, type Prompter } from '../../terminal/prompts.ts';

/** How the terminal asks a question. */
interface Asking<Given = string> {
  flag: string;
  /** The answer of the option. */
  given: Given | undefined;
  /** The answer to offer. Defaults to the question's usual answer. */
  initial?: Given | null;
  /** Text that only this interface adds after the question. */
  aside?: string;
  /** The file's columns, if the question is about columns. */
  columns?: readonly string[];
  /** The offered options. Defaults to all. */
  among?: readonly string[];
}

/** Resolves with the checked answer. Throws a ConfigurationError if the answer is invalid. */
export async function ask<Value>(
  asker: Prompter,
  question: Question<Value>,
  { flag, given, initial = question.initial ?? null, aside = '', columns, among }: Asking,
): Promise<Value> {
  const asked = { flag, message: `${question.ask}${aside}`, given, initial };
  const choices = listChoices(question, columns ?? [], among);
  const answer =
    choices === null
      ? await askText(asker, { ...asked, validate: (text) => findProblem(question, text) })
      : await askChoice(asker, { ...asked, choices });
  const checked = checkAnswer(question, answer, columns);
  if ('value' in checked) return checked.value;
  throw usageError(`${flag}: ${checked.problem}`);
}

/** Asks a question whose answer can be several columns. */
export function askColumns(
  asker: Prompter,
  question: Question,
  { flag, given, initial = [], columns = [] }: Asking<readonly string[]>,
): Promise<readonly string[]> {
  const choices = columns.map(toChoice);
  return askMany(asker, { flag, message: question.ask, given, initial, choices });
}

/** Returns the question in the form for a settings file, in which an environment variable can replace the answer. */
export function orVariable(question: Question): Question {
  const schema = checkedBy((text) => (isVariable(text) ? null : findProblem(question, text)));
  return { ...question, schema };
}

/** Returns true for a variable such as `${PARTNER_BASE_URL}`. */
function isVariable(text: string): boolean {
  return /^\$\{[A-Za-z_]\w*\}$/.test(text);
}

function listChoices(
  { options }: Pick<Question<unknown>, 'options'>,
  columns: readonly string[],
  among: readonly string[] | undefined,
): readonly Choice[] | null {
  if (options === undefined) return null;
  if (options === 'columns') return columns.map(toChoice);
  if (options === 'columns or none') {
    return [{ value: NONE, label: 'no column' }, ...columns.map(toChoice)];
  }
  return among === undefined ? options : findOptions({ options }, among);
}

function toChoice(name: string): Choice {
  return { value: name, label: name };
}
