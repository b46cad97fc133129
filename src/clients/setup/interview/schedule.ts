/** The questions about when a client is synced. */
import { cronProblem, timezoneProblem } from '../../schedules/cron.ts';
import { checkedBy, NONE, type Question } from './question.ts';

/** The default hour of a daily sync. */
export const USUAL_HOUR = 2;

/** A cron expression with five fields, or null for no schedule. */
const cronSchema = checkedBy((text) => (text === NONE ? null : cronProblem(text))).transform(
  (text) => (text === NONE ? null : text),
);

export const CRON: Question<string | null> = {
  setting: 'schedule.cron',
  noun: 'when to sync, as five cron fields',
  ask: 'When should it sync?',
  label: 'Cron line',
  schema: cronSchema,
  initial: `0 ${USUAL_HOUR} * * *`,
};

export const TIMEZONE: Question = {
  setting: 'schedule.timezone',
  noun: 'the time zone of the schedule',
  ask: 'In which time zone does the schedule run?',
  label: "Client's time zone",
  hint: 'A city in the same time zone.',
  schema: checkedBy(timezoneProblem),
  initial: 'UTC',
};
