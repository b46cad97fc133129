/** The questions about a client's budget. */
import { z } from 'zod';
import { NONE, type Question } from './question.ts';

/** A number of credits as people write it, such as `1,000`. Null for no limit. */
const creditsSchema = z.string().transform((text, context): number | null => {
  if (text === NONE) return null;
  const digits = text.replaceAll(/[,\s]/g, '');
  if (/^\d{1,9}$/.test(digits)) return Number(digits);
  const message = `expected a whole number of credits, or "${NONE}" for no limit`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

export const PER_RUN: Question<number | null> = {
  setting: 'budget.perRun',
  noun: 'the budget of a run',
  ask: 'What is the maximum number of credits that one run can spend?',
  label: 'Maximum credits per run',
  schema: creditsSchema,
  initial: NONE,
};

export const PER_MONTH: Question<number | null> = {
  setting: 'budget.perMonth',
  noun: 'the budget of a month',
  ask: 'What is the maximum number of credits that can be spent in a month?',
  label: 'Maximum credits per month',
  hint: 'One contact costs one credit.',
  schema: creditsSchema,
  initial: NONE,
};
