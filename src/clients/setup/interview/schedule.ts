/** The questions about when a client is synced. */
import { cronProblem, timezoneProblem } from '../../schedules/cron.ts';
import { checkedBy, NONE, type Question } from './question.ts';

/** The hour at which a client is synced if nobody chooses another. */
export const USUAL_HOUR = 2;

/** Five fields of cron; null for no schedule. */
const cronSchema = checkedBy((text) => (text === NONE ? null : cronProblem(text))).transform(
  (text) => (text === NONE ? null : text),
);

export const CRON: Question<string | null> = {
  setting: 'schedule.cron',
  noun: 'when to sync, five fields of cron',
  ask: 'When shall it sync?',
  label: 'Line of cron',
  schema: cronSchema,
  initial: `0 ${USUAL_HOUR} * * *`,
};

export const TIMEZONE: Question = {
  setting: 'schedule.timezone',
  noun: 'the time zone of the schedule',
  ask: 'In which time zone?',
  label: 'Time zone of the client',
  hint: 'A city that keeps the same time.',
  schema: checkedBy(timezoneProblem),
  initial: 'UTC',
};
