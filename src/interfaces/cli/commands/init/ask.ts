/** Asks questions in the terminal, unless an option contains the answer. */
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

interface Asking<Given = string> {
  flag: string;
  given: Given | undefined;
  /** The suggested answer. Defaults to the usual answer. */
  initial?: Given | null;
  aside?: string;
  columns?: readonly string[];
  /** The offered answers. Defaults to all answers. */
  among?: readonly string[];
}

/** Asks a question. Throws a ConfigurationError for an invalid answer. */
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

export function askColumns(
  asker: Prompter,
  question: Question,
  { flag, given, initial = [], columns = [] }: Asking<readonly string[]>,
): Promise<readonly string[]> {
  const choices = columns.map(toChoice);
  return askMany(asker, { flag, message: question.ask, given, initial, choices });
}

/** Returns the question for a settings file, in which the answer can also be a variable. */
export function orVariable(question: Question): Question {
  const schema = checkedBy((text) => (isVariable(text) ? null : findProblem(question, text)));
  return { ...question, schema };
}

/** True if the text is a variable, for example `${PARTNER_BASE_URL}`. */
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
