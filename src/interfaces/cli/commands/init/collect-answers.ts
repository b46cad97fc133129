import { proposeIds } from '../../../../clients/setup/interview/client.ts';
import { NONE } from '../../../../clients/setup/interview/question.ts';
import { QUESTIONS } from '../../../../clients/setup/interview/questions.ts';
import type { Prompter } from '../../terminal/prompts.ts';
import type { Answers, Surroundings, VariableFor } from './answers.ts';
import { ask } from './ask.ts';
import { askCrm } from './ask-crm.ts';
import { askPartner } from './ask-service.ts';
import { FLAGS, type InitFlags } from './flags.ts';

/** Asks all questions that the options do not answer. */
export async function collectAnswers(
  asker: Prompter,
  flags: InitFlags,
  surroundings: Surroundings,
): Promise<Answers> {
  const crm = await askCrm(asker, flags, surroundings);
  const name = await ask(asker, QUESTIONS.name, { flag: FLAGS.name, given: flags.name });
  const id = flags.id ?? newId(name, surroundings.present?.ids ?? new Set());
  const variableFor: VariableFor = (variable) =>
    surroundings.present?.variables.has(variable) ? toVariable(variable, id) : variable;
  return {
    id,
    name,
    crm,
    variableFor,
    partner: await askPartner(asker, flags, surroundings, variableFor),
    budget: await askBudget(asker, flags),
    schedule: await askSchedule(asker, flags, surroundings),
  };
}

function newId(name: string, taken: ReadonlySet<string>): string {
  const ids = proposeIds(name);
  let id = ids.next().value;
  while (taken.has(id)) id = ids.next().value;
  return id;
}

/** Returns a variable's name, for example `HUBSPOT_TOKEN_RIVER_SIDE` for the integration `river-side`. */
function toVariable(name: string, id: string): string {
  return `${name}_${id.toUpperCase().replaceAll('-', '_')}`;
}

async function askBudget(asker: Prompter, flags: InitFlags): Promise<Answers['budget']> {
  const aside = ` ("${NONE}": no limit)`;
  return {
    perRun: await ask(asker, QUESTIONS.perRun, {
      flag: FLAGS.perRun,
      aside,
      given: flags.budgetPerRun,
    }),
    perMonth: await ask(asker, QUESTIONS.perMonth, {
      flag: FLAGS.perMonth,
      aside,
      given: flags.budgetPerMonth,
    }),
  };
}

async function askSchedule(
  asker: Prompter,
  flags: InitFlags,
  { timezone: own }: Surroundings,
): Promise<Answers['schedule']> {
  const cron = await ask(asker, QUESTIONS.cron, {
    flag: FLAGS.cron,
    aside: ` "${QUESTIONS.cron.initial}" is every night at 2:00 (five cron fields); "${NONE}": only on request`,
    given: flags.schedule,
  });
  if (cron === null) return null;
  const timezone = await ask(asker, QUESTIONS.timezone, {
    flag: FLAGS.timezone,
    given: flags.timezone,
    initial: own,
  });
  return { cron, timezone };
}
