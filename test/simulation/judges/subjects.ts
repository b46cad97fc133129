/**
 * Counts which settings, events and reasons the simulated nights have reached, and which judges looked at them. A judge
 * looks at a subject if it compares something that the subject is about.
 */
import type { Record_ } from '../crm/record.ts';
import type { World } from '../night/world.ts';
import { hasJournal } from '../settings.ts';
import type { Swarm } from '../swarm/swarm.ts';

/** The settings that nights test, with the nights that use them. */
const SETTINGS: Readonly<Record<string, (swarm: Swarm) => boolean>> = {
  'a time zone other than UTC': ({ settings }) => settings.timezone !== 'UTC',
  'match.minProbability': ({ settings }) => settings.minProbability !== null,
  'contacts.objections': ({ settings }) => settings.objectors > 0,
  'insights.budget.perRun': ({ settings }) => settings.queries !== null,
  'insights.budget.keep': ({ settings }) => (settings.queries?.keep ?? 0) > 0,
  'budget.perRun': ({ settings }) => settings.perRun !== null,
  'budget.perMonth': ({ settings }) => settings.perMonth !== null,
  'budget.keep': ({ settings }) => settings.keep > 0,
  'guards.massChange': ({ settings }) => settings.massChangeAtLeast < 25,
  'two service keys': ({ integrations, sharedKey }) => integrations > 1 && !sharedKey,
  twoPeople: ({ desk }) => desk.answers > 0,
  retention: ({ beside }) => beside.purge > 0,
  spendingJournal: hasJournal,
};

/** The events that can happen to a contact. */
const EVENTS: Readonly<Record<string, (record: Record_) => boolean>> = {
  'a contact objects': ({ isObjecting }) => isObjecting,
  'a contact wants no contact': ({ doNotContactAt }) => doNotContactAt !== null,
  'a contact opts out': ({ firstOptOutAt, isObjecting }) => firstOptOutAt !== null && !isObjecting,
};

/** All subjects that the simulated nights must reach, and that a judge must look at. */
export const SUBJECTS: readonly string[] = [
  ...Object.keys(SETTINGS).map((name) => `setting: ${name}`),
  'event: a contact objects',
  'event: a contact wants no contact',
  'event: a contact opts out',
  'event: a match is uncertain',
  'event: a query is charged',
  'event: a month ends in the time zone',
  'event: the clocks go forward',
  'event: the clocks go back',
  'event: an erasure',
  'event: an erasure of our values in the CRM',
  'event: an older backup is restored',
  'event: a person has two service keys',
  ...['opted_out', 'do_not_contact', 'match_unsure', 'name_mismatch', 'profile_deceased'],
  ...['identity_mass_change', 'identity_change_rejected', 'contacts_missing', 'lost_answer'],
  ...['paid_since_backup', 'forgotten_person', 'forgotten', 'values_of_two_people'],
  ...['new_person_unknown', 'donor_mass_change', 'fields_written_some_unfit'],
  ...['fields_written_some_refused', 'crm_refused', 'values_unfit', 'rejected_by_person'],
  ...['budget_reached', 'job_vanished', 'counted_as_paid', 'fields_written', 'values_equal'],
].map((name) => (name.includes(':') ? name : `reason: ${name}`));

/** Records the settings of the night, and the reasons that the database shows at its end. */
export function reachSubjects(world: World & { looks: Looks }): void {
  const { looks, crms, swarm, store, reached, oracle } = world;
  for (const [name, isUsed] of Object.entries(SETTINGS)) {
    if (isUsed(swarm)) reached.add(`setting: ${name}`);
  }
  const records = [...crms.values()].flatMap((crm) => [...crm.records.values()]);
  for (const [name, isSo] of Object.entries(EVENTS)) {
    if (records.some(isSo)) reached.add(`event: ${name}`);
  }
  for (const subject of looks.all.keys()) {
    if (subject.startsWith('event: ')) reached.add(subject);
  }
  const byHuman = Map.groupBy(oracle.payments, ({ record }) => record.human);
  if ([...byHuman.values()].some((paid) => new Set(paid.map(({ job }) => job.key)).size > 1)) {
    reached.add('event: a person has two service keys');
  }
  for (const { reason } of store.rows(REASONS)) reached.add(`reason: ${reason}`);
  for (const { kind, decision } of store.rows(ANSWERS)) reached.add(`answer: ${kind} ${decision}`);
}

const REASONS = `
  select outcome_reason as reason from contacts where outcome_reason <> ''
  union select reason from run_rows union select kind from questions
  union select reason_code from runs where reason_code is not null`;

const ANSWERS =
  "select distinct kind, decision from questions where decision in ('approved', 'rejected', 'resubmitted')";

export interface Looks {
  readonly all: ReadonlyMap<string, ReadonlySet<string>>;
  look(judge: string, subject: string): void;
}

/** Records which judges looked at which subjects. */
export function createLooks(): Looks {
  const all = new Map<string, Set<string>>();
  return {
    all,
    look(judge, subject) {
      const judges = all.get(subject) ?? new Set();
      judges.add(judge);
      all.set(subject, judges);
    },
  };
}
