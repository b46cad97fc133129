/** A question of the set-up. `init` and `add` ask it in the terminal, and the set-up asks it on a page. */
import { z } from 'zod';
import { notAChoice } from '../../../core/near-miss.ts';

export interface Question<Value = string> {
  setting: string;
  noun: string;
  ask: string;
  /** The label of the question's field. */
  label: string;
  /** A hint for the user. Omitted if the label is clear. */
  hint?: string;
  /** Checks and converts the typed text. The message about a problem follows the field's name and a colon. */
  schema: z.ZodType<Value, string>;
  /** The usual answer. */
  initial?: string;
  /** The possible answers. A keyword means that the answers are the file's columns. */
  options?: readonly Option[] | 'columns' | 'columns or none';
}

export interface Option {
  value: string;
  label: string;
  hint?: string;
}

export type Checked<Value> = { value: Value } | { problem: string };

export const NONE = 'none';

export function checkAnswer<Value>(
  question: Question<Value>,
  text: string,
  columns: readonly string[] | null = null,
): Checked<Value> {
  const answer = text.trim();
  if (answer === '') return { problem: missingText(question) };
  const choices = listChoices(question, columns);
  if (choices !== null && !choices.includes(answer)) {
    return { problem: notAChoice(answer, choices) };
  }
  const parsed = question.schema.safeParse(answer);
  if (parsed.success) return { value: parsed.data };
  return { problem: parsed.error.issues[0]?.message ?? 'not valid' };
}

/** Returns the options that have one of the values, in the order of the values. */
export function findOptions(
  { options }: Pick<Question<unknown>, 'options'>,
  values: readonly string[],
): readonly Option[] {
  if (typeof options === 'string') return [];
  return values.flatMap((value) => options?.find((one) => one.value === value) ?? []);
}

export function findProblem(
  question: Question<unknown>,
  text: string,
  columns: readonly string[] | null = null,
): string | null {
  const checked = checkAnswer(question, text, columns);
  return 'problem' in checked ? checked.problem : null;
}

/** Returns a text that tells the user what to answer, for example `Write the name of the nonprofit`. */
export function missingText({
  noun,
  options,
}: Pick<Question<unknown>, 'noun' | 'options'>): string {
  return `${options === undefined ? 'Write' : 'Choose'} ${noun}`;
}

function listChoices(
  { options }: Pick<Question<unknown>, 'options'>,
  columns: readonly string[] | null,
): readonly string[] | null {
  if (options === undefined) return null;
  if (options === 'columns') return columns;
  if (options === 'columns or none') return columns === null ? null : [NONE, ...columns];
  return options.map(({ value }) => value);
}

/** The schema for a text without further rules. */
export const anyText: z.ZodType<string, string> = z.string();

/** Returns a schema from a function. The function returns the problem, or null if there is none. */
export function checkedBy(findProblem: (text: string) => string | null): z.ZodType<string, string> {
  return z.string().superRefine((text, context) => {
    const message = findProblem(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
}
