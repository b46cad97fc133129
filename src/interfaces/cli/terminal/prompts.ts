import type { Readable, Writable } from 'node:stream';
import { confirm, isCancel, multiselect, password, select, text } from '@clack/prompts';
import { ConfigurationError } from '../../../core/errors.ts';
import { notAChoice } from '../../../core/near-miss.ts';
import { plainLine, plainText } from '../../../core/printable.ts';
import { usageError } from './output.ts';

interface Question<Answer> {
  flag: string;
  message: string;
  given: Answer | undefined;
  initial: Answer | null;
}

export interface TextQuestion extends Question<string> {
  validate?: ((answer: string) => string | null | Promise<string | null>) | undefined;
}

export interface Choice {
  value: string;
  label: string;
  hint?: string;
}

export interface ChoiceQuestion extends Question<string> {
  choices: readonly Choice[];
}

export interface ManyQuestion extends Question<readonly string[]> {
  choices: readonly Choice[];
}

/** Asks a user at a terminal, or returns the default answers. */
export interface Prompter {
  text(question: TextQuestion): Promise<string>;
  choose(question: ChoiceQuestion): Promise<string>;
  chooseMany(question: ManyQuestion): Promise<readonly string[]>;
  secret(message: string): Promise<string | null>;
  /** Asks for a confirmation. `initial` is the answer for the Enter key. Defaults to no. */
  confirm(message: string, initial?: boolean): Promise<boolean>;
}

/** Asks for a text. Throws an error for an invalid answer. */
export async function askText(asker: Prompter, question: TextQuestion): Promise<string> {
  const answer = (question.given ?? (await asker.text(question))).trim();
  const problem = await findProblem(question, answer);
  if (problem !== null) throw usageError(`${question.flag}: ${problem}`);
  return answer;
}

/** Returns the problem with an answer. Blank answers are checked too. */
async function findProblem(
  { validate }: Pick<TextQuestion, 'validate'>,
  answer: string,
): Promise<string | null> {
  const problem = await validate?.(answer);
  return problem ?? (answer === '' ? 'an answer is needed' : null);
}

export async function askChoice(asker: Prompter, question: ChoiceQuestion): Promise<string> {
  const answer = question.given ?? (await asker.choose(question));
  checkChoice(question, answer);
  return answer;
}

export async function askMany(asker: Prompter, question: ManyQuestion): Promise<readonly string[]> {
  const answers = question.given ?? (await asker.chooseMany(question));
  for (const answer of answers) checkChoice(question, answer);
  return answers;
}

export function createDefaults(): Prompter {
  async function getInitial<Answer>(question: Question<Answer>): Promise<Answer> {
    if (question.initial !== null) return question.initial;
    throw usageError(`${question.flag} is needed with --yes. ${question.message}`);
  }
  return {
    text: getInitial,
    choose: getInitial,
    chooseMany: getInitial,
    secret: async () => null,
    confirm: async () => false,
  };
}

/** Creates the prompts for a user at a terminal. */
export function createPrompts(streams: { input: Readable; output: Writable }): Prompter {
  return {
    async text({ message, initial, validate }) {
      const answer = await text({
        ...streams,
        message,
        ...(initial === null ? {} : { initialValue: initial }),
        async validate(value = '') {
          return (await findProblem({ validate }, value.trim())) ?? undefined;
        },
      });
      return unlessCancelled(answer);
    },
    async choose({ message, initial, choices }) {
      const initialValue = initial === null ? {} : { initialValue: initial };
      return unlessCancelled(
        await select({ ...streams, message, options: choices.map(plainly), ...initialValue }),
      );
    },
    async chooseMany({ message, initial, choices }) {
      const options = {
        message,
        options: choices.map(plainly),
        initialValues: [...(initial ?? [])],
      };
      return unlessCancelled(await multiselect({ ...streams, ...options, required: false }));
    },
    async secret(message) {
      const answer = await password({ ...streams, message, mask: '•' });
      // For this question, an empty input means that there is no value.
      return unlessCancelled(answer ?? '').trim() || null;
    },
    async confirm(message, initial = false) {
      return unlessCancelled(
        await confirm({ ...streams, message: plainText(message), initialValue: initial }),
      );
    },
  };
}

/** Removes control characters from a choice, because labels come from files and CRMs. */
function plainly({ value, label, hint }: Choice): Choice {
  return {
    value,
    label: plainLine(label),
    ...(hint === undefined ? {} : { hint: plainLine(hint) }),
  };
}

function unlessCancelled<Answer>(answer: Answer | symbol): Exclude<Answer, symbol> {
  if (!isCancel(answer) && isAnswer(answer)) return answer;
  throw cancelled();
}

function isAnswer<Answer>(answer: Answer | symbol): answer is Exclude<Answer, symbol> {
  return typeof answer !== 'symbol';
}

function checkChoice(question: ChoiceQuestion | ManyQuestion, answer: string): void {
  const values = question.choices.map((choice) => choice.value);
  if (!values.includes(answer)) {
    throw usageError(`${question.flag}: ${notAChoice(answer, values)}`);
  }
}

/** Creates the error for a cancelled question. `next` explains how to continue. */
export function cancelled(next = ''): ConfigurationError {
  return new ConfigurationError(`Stopped. Nothing was written.${next}`, { code: 'cancelled' });
}
