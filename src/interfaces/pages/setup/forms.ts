/**
 * Converts the forms of the set-up into answers. Each step defines the settings that result from the answers of the
 * step.
 */

import { z } from 'zod';
import { findConnectorDefinition, findRemoteCrm } from '../../../../connectors/index.ts';
import type { MarkKind } from '../../../../connectors/marks/mark-values.ts';
import { type Answers, type Draft, type Setup, withAddress } from '../../../clients/setup/draft.ts';
import {
  askContactMarks,
  withContactMarks,
} from '../../../clients/setup/interview/contact-marks.ts';
import { sameNameProblem } from '../../../clients/setup/interview/file.ts';
import {
  checkAnswer,
  findOptions,
  missingText,
  NONE,
  type Question,
} from '../../../clients/setup/interview/question.ts';
import { QUESTIONS } from '../../../clients/setup/interview/questions.ts';
import { USUAL_HOUR } from '../../../clients/setup/interview/schedule.ts';
import { MARKS } from '../../../clients/setup/mark-fields.ts';
import type { SetupStep } from '../../../clients/setup/steps.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import {
  FIELD_SOURCES,
  type FieldMapping,
  fieldMappingSchema,
  WRITE_RULES,
} from '../../../core/field-map.ts';
import type { NetworkSetting } from '../../../core/integration-settings.ts';
import { aboutField } from '../frame/refused-forms.ts';
import { crmAnswers } from './crm-form.ts';
import {
  type Allowed,
  answerMissing,
  chosen,
  chosenMany,
  type Form,
  missing,
  one,
  requirePublic,
} from './form-values.ts';

/**
 * Returns all answers, including the submitted answers of the current step. Throws a ConfigurationError for invalid
 * values.
 */
export async function answered(
  step: Exclude<SetupStep, 'key' | 'plan'>,
  setup: Setup,
  form: Form,
  allowed: Allowed,
): Promise<Partial<Draft>> {
  switch (step) {
    case 'crm':
      return crmAnswers(setup, form, allowed);
    case 'people':
      return { answers: peopleAnswers(setup, form) };
    case 'fields':
      return { answers: { ...setup.answers, fields: fieldAnswers(form) } };
    case 'networks':
      return { answers: await withPaths(setup.answers, await networkAnswers(setup, form)) };
    case 'schedule':
      return { answers: await withAlerts(scheduleAnswers(setup, form), form, allowed) };
  }
}

/** Returns the validated value of an answer. Throws a ConfigurationError if it is missing or invalid. */
export function requireAnswer<Value>(
  question: Question<Value>,
  text: string,
  field: string,
): Value {
  const answer = text.trim();
  if (answer === '') throw aboutField(answerMissing(`${missingText(question)}.`), field);
  const checked = checkAnswer(question, answer);
  if ('value' in checked) return checked.value;
  throw aboutField(answerInvalid(question, checked.problem), field);
}

function answerInvalid({ label }: Pick<Question, 'label'>, problem: string): ConfigurationError {
  return new ConfigurationError(`${label}: ${problem}.`, { code: 'setup_answer_invalid' });
}

function peopleAnswers({ answers }: Setup, form: Form): Answers {
  const { crm, contacts } = answers;
  if (crm === undefined) throw answerMissing('Choose where the contacts are.');
  const marks = markAnswers(contacts, form);
  if (crm.kind !== 'csv') {
    const filter = one(form, 'filter') || null;
    const employer = one(form, 'employer');
    const said = employer === '' ? crm : { ...crm, employer };
    const shown = { ...contacts, ...marks, filter };
    return { ...answers, crm: said, contacts: contactMarkAnswers(crm.kind, shown, form) };
  }
  const id = requireAnswer(QUESTIONS.idColumn, chosen(form, 'id') ?? '', 'id');
  const names = one(form, 'names') === 'whole' ? wholeName(form) : twoNames(form);
  const columns = {
    id,
    ...names,
    addresses: chosenMany(form, 'addresses'),
    employers: chosenMany(form, 'employers'),
  };
  const { badRows: question } = QUESTIONS;
  const badRows = requireAnswer(
    question,
    one(form, 'badRows') || question.initial || '',
    'badRows',
  );
  return { ...answers, crm: { ...crm, badRows, columns }, contacts: { ...contacts, ...marks } };
}

/** Adds the user's answer about the CRM's marks for email and calls. The set-up cannot continue without this answer. */
function contactMarkAnswers(
  kind: string,
  contacts: Answers['contacts'],
  form: Form,
): Answers['contacts'] {
  const about = findRemoteCrm(kind);
  const question = about === undefined ? null : askContactMarks(about);
  const answer = one(form, 'contactMarks');
  const isLook = one(form, 'do') === 'look';
  if (about === undefined || question === null || (answer === '' && isLook)) return contacts;
  return withContactMarks(about, contacts, requireAnswer(question, answer, 'contactMarks'));
}

const meaningSchema = z.tuple([z.enum(['marked', 'unmarked', '']), z.string().trim().min(1)]);

/** Keeps the meanings of the chosen field's values. The meanings of other fields' values are discarded. */
function markAnswers(contacts: Answers['contacts'], form: Form): Partial<Answers['contacts']> {
  const fields: Record<MarkKind, string | null> = { ...NOTHING_MARKED };
  const marked: Record<MarkKind, string[] | null> = { ...NOTHING_MARKED };
  const unmarked: NonNullable<Answers['contacts']['unmarkedValues']> = {};
  for (const { kind, setting, list } of MARKS) {
    const field = chosen(form, kind) ?? null;
    fields[kind] = field;
    if (field === null) continue;
    if (chosen(form, `valuesOf.${kind}`) === field) {
      const said = readMeanings(form, kind);
      const saidAs = (meaning: string) =>
        said.flatMap(([one, value]) => (one === meaning ? [value] : []));
      if (saidAs('marked').length > 0) marked[kind] = saidAs('marked');
      if (saidAs('unmarked').length > 0) unmarked[kind] = saidAs('unmarked');
    } else if (contacts[setting] === field) {
      marked[kind] = contacts[list] ?? null;
      const kept = contacts.unmarkedValues?.[kind];
      if (kept !== undefined) unmarked[kind] = kept;
    }
  }
  return {
    optOutField: fields.optOut,
    deceasedField: fields.deceased,
    doNotContactField: fields.doNotContact,
    optOutValues: marked.optOut,
    deceasedValues: marked.deceased ?? undefined,
    doNotContactValues: marked.doNotContact ?? undefined,
    unmarkedValues: Object.keys(unmarked).length > 0 ? unmarked : undefined,
  };
}

const NOTHING_MARKED = { optOut: null, deceased: null, doNotContact: null };

function readMeanings(form: Form, kind: string): [string, string][] {
  return chosenMany(form, `means.${kind}`).flatMap((text) => {
    const said = meaningSchema.safeParse(readJson(text)).data;
    return said === undefined ? [] : [[said[0], said[1]]];
  });
}

function wholeName(form: Form) {
  return {
    fullName: requireAnswer(QUESTIONS.fullName, chosen(form, 'fullName') ?? '', 'fullName'),
  };
}

function twoNames(form: Form) {
  const firstName = requireAnswer(
    QUESTIONS.firstName,
    chosen(form, 'firstName') ?? '',
    'firstName',
  );
  const lastName = requireAnswer(QUESTIONS.lastName, chosen(form, 'lastName') ?? '', 'lastName');
  const problem = sameNameProblem(firstName, lastName);
  if (problem === null) return { firstName, lastName };
  const [whole] = findOptions(QUESTIONS.nameForm, ['whole']);
  const refusal = `${problem}; for whole names choose “${whole?.label}”`;
  throw aboutField(answerInvalid(QUESTIONS.lastName, refusal), 'lastName');
}

function fieldAnswers(form: Form): FieldMapping[] {
  const fields = FIELD_SOURCES.flatMap((from) => {
    const to = chosen(form, `to.${from}`);
    const when = WRITE_RULES.find((rule) => rule === form[`when.${from}`]);
    return to === undefined ? [] : [fieldMappingSchema.parse({ from, to, when })];
  });
  if (fields.length === 0) throw answerMissing('Choose at least one field to write.');
  const twice = fields.find(({ to }, at) => fields.findIndex((other) => other.to === to) !== at);
  if (twice === undefined) return fields;
  const refusal = new ConfigurationError(
    `Two values would be written into “${twice.to}”: choose another field for one.`,
    { code: 'setup_field_twice' },
  );
  throw aboutField(refusal, `to.${twice.from}`);
}

/**
 * Adds the fields for warm paths, because networks provide warm paths. These fields are the connector's fields, unless
 * the user chose other fields.
 */
async function withPaths(answers: Answers, networks: NetworkSetting[]): Promise<Answers> {
  const { fields, crm } = answers;
  const isPath = ({ from }: FieldMapping) => from.startsWith('warmPath.');
  if (networks.length === 0 || fields === undefined || fields.some(isPath))
    return { ...answers, networks };
  const { defaultFields } = await findConnectorDefinition(crm?.kind ?? '');
  return { ...answers, networks, fields: [...fields, ...defaultFields.filter(isPath)] };
}

const selectorSchema = z.record(z.string(), z.unknown());

async function networkAnswers({ answers }: Setup, form: Form): Promise<NetworkSetting[]> {
  const { groupSchema } = await findConnectorDefinition(answers.crm?.kind ?? '');
  const networks = chosenMany(form, 'group').map((text) => {
    const group = groupSchema.safeParse(readJson(text));
    if (!group.success)
      throw answerMissing('Choose the groups that become networks from the list.');
    const before = answers.networks.find((one) => JSON.stringify(one.group) === text);
    const name = one(form, `name:${text}`);
    if (name === '') throw missing('a name for each network', `name:${text}`);
    return { color: 'teal', ...before, name, group: selectorSchema.parse(group.data) };
  });
  const names = networks.map(({ name }) => name.toLowerCase());
  if (new Set(names).size === names.length) return networks;
  throw new ConfigurationError('Two networks have the same name: give each its own.', {
    code: 'setup_network_twice',
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The schedules that users can choose by name. `H` is replaced with the hour. */
export const RHYTHMS = {
  nightly: { label: 'every night', cron: '0 H * * *' },
  weekdays: { label: 'on weekdays', cron: '0 H * * 1-5' },
  weekly: { label: 'on Mondays', cron: '0 H * * 1' },
  monthly: { label: 'on the first of the month', cron: '0 H 1 * *' },
} as const;

const MAX_HOUR = 23;

function scheduleAnswers({ answers }: Setup, form: Form): Answers {
  const { budget } = answers;
  return {
    ...answers,
    schedule: readSchedule(answers.schedule, form),
    budget: {
      ...budget,
      // An empty field means that there is no limit.
      perMonth: requireAnswer(QUESTIONS.perMonth, one(form, 'perMonth') || NONE, 'perMonth'),
      perRun: requireAnswer(QUESTIONS.perRun, one(form, 'perRun') || NONE, 'perRun'),
    },
  };
}

function readSchedule(before: Answers['schedule'], form: Form): Answers['schedule'] {
  const rhythm = one(form, 'rhythm');
  if (rhythm === 'none' || rhythm === '') return null;
  const offered = Object.entries(RHYTHMS).find(([name]) => name === rhythm)?.[1];
  const hour = Number(one(form, 'hour') || USUAL_HOUR);
  const isHour = Number.isInteger(hour) && hour >= 0 && hour <= MAX_HOUR;
  if (offered !== undefined && !isHour) throw missing('an hour from 0 to 23', 'hour');
  const typed = offered?.cron.replace('H', String(hour)) ?? one(form, 'cron');
  const cron = requireAnswer(QUESTIONS.cron, typed, 'cron');
  if (cron === null) return null;
  // A missing answer does not mean UTC, because credits would be spent at an unexpected hour.
  const timezone = requireAnswer(QUESTIONS.timezone, one(form, 'timezone'), 'timezone');
  return { catchUp: true, jitterMs: 30_000, ...before, cron, timezone };
}

/**
 * Adds the alerts. The address is a secret, so the page does not show it. If the field is empty, the stored address is
 * kept.
 */
export async function withAlerts(answers: Answers, form: Form, allowed: Allowed): Promise<Answers> {
  const { alerts, ...others } = answers;
  if (one(form, 'alertsOff') !== '') return others;
  const url = one(form, 'alertsUrl');
  if (url === '') return answers;
  await requirePublic(allowed, url, 'alertsUrl');
  return withAddress({ ...others, alerts: { webhook: { url } } }, alerts?.webhook.url, url);
}
