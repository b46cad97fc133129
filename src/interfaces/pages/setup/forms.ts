/** Converts the forms of the set-up into answers. Each step defines which settings its answers become. */
import { z } from 'zod';
import type { AboutRemoteCrm, SignIn } from '../../../../connectors/about.ts';
import {
  findConnectorDefinition,
  findRemoteCrm,
  REMOTE_CRMS,
} from '../../../../connectors/index.ts';
import type { MarkKind } from '../../../../connectors/mark-values.ts';
import type { ClientGuard } from '../../../clients/client-guard.ts';
import { requirePlainText } from '../../../clients/setup/address.ts';
import { type Answers, type Draft, type Setup, withAddress } from '../../../clients/setup/draft.ts';
import { findAddressProblem } from '../../../clients/setup/interview/crm.ts';
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
import { isSameOrigin } from '../../../outbound/address.ts';
import type { Settings } from '../../../settings/settings.ts';
import { aboutField } from '../frame/refused-forms.ts';

/** The fields of a form, each with one or several values. */
export type Form = Readonly<Record<string, unknown>>;

/** The values that the operator allows. */
export interface Allowed {
  guard: Pick<ClientGuard, 'requirePublic'>;
  apps: Settings['setup']['apps'];
}

/** Returns the user's text without surrounding white space; empty if there is none. */
export function one(form: Form, name: string): string {
  const value = Array.isArray(form[name]) ? form[name].at(-1) : form[name];
  return typeof value === 'string' ? requirePlainText('This form', value.trim()) : '';
}

/** Returns a name from an offered list. The name may contain any characters that the CRM allows. */
function chosen(form: Form, name: string): string | undefined {
  const value = Array.isArray(form[name]) ? form[name].at(-1) : form[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function chosenMany(form: Form, name: string): string[] {
  const value = form[name];
  const all: unknown[] = Array.isArray(value) ? value : [value];
  return all.flatMap((text) =>
    typeof text === 'string' && text.trim() !== '' ? [text.trim()] : [],
  );
}

/**
 * Returns the answers, including the answers that one step has submitted. Throws a ConfigurationError for
 * invalid values.
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

/** Throws a ConfigurationError for the field if this address may not be set in a browser. */
export async function requirePublic(
  { guard }: Pick<Allowed, 'guard'>,
  url: string,
  field: string,
): Promise<void> {
  try {
    await guard.requirePublic(url);
  } catch (error) {
    throw error instanceof Error ? aboutField(error, field) : error;
  }
}

function answerInvalid({ label }: Pick<Question, 'label'>, problem: string): ConfigurationError {
  return new ConfigurationError(`${label}: ${problem}.`, { code: 'setup_answer_invalid' });
}

const authSchema = z.record(z.string(), z.unknown()).catch({});

/** The stored sign-in. Its secrets are never shown, and are sent only to their own origin. */
export function getSignIn({ answers: { crm } }: Pick<Setup, 'answers'>) {
  const auth = authSchema.parse(crm?.['auth'] ?? {});
  const textOf = (name: string) => textIn(auth[name]) || undefined;
  const url = typeof crm?.['url'] === 'string' ? crm['url'] : undefined;
  return { kind: crm?.kind, url, type: textOf('type'), textOf };
}

async function crmAnswers(setup: Setup, form: Form, allowed: Allowed): Promise<Partial<Draft>> {
  const about = findRemoteCrm(one(form, 'kind'));
  if (about === undefined) {
    throw new ConfigurationError(
      `In a browser, you can connect ${REMOTE_NAMES}, or use a CSV file. Connector packages are named in donor-sync.yaml.`,
      { code: 'setup_kind_refused' },
    );
  }
  const { kind, setup: asks } = about;
  requireSameKind(setup, kind);
  const own = allowed.apps[kind] ?? undefined;
  const url = one(form, 'url') || own?.url || asks.address.usual || '';
  if (url === '') throw missing(asks.address.noun, 'url');
  await requirePublic(allowed, url, 'url');
  const signIn = chooseSignIn(about, form);
  const auth =
    signIn.browser === 'key'
      ? readKey(about, signIn, { setup, form, url })
      : readApp(about, signIn, { setup, form, url, own });
  const problem = findAddressProblem(about, signIn.type, url);
  if (problem !== null) {
    const message = `${asks.address.label}: ${problem.problem}. Nothing was changed.`;
    throw aboutField(new ConfigurationError(message, { code: problem.code }), 'url');
  }
  return signedIn(setup, { kind, url, auth: { type: signIn.type, ...auth } });
}

const REMOTE_NAMES = new Intl.ListFormat('en-GB').format(REMOTE_CRMS.map(({ name }) => name));

/** A key that was typed is used. Otherwise the app is used, in the way that the form names, by default with a consent. */
function chooseSignIn({ setup: { signIns } }: AboutRemoteCrm, form: Form): SignIn {
  const key = signIns.find(({ browser }) => browser === 'key');
  const ways = listAppWays(signIns);
  const isTyped = key?.fields.some(({ name }) => one(form, name) !== '') === true;
  const way = ways.find(({ type }) => type === one(form, 'way')) ?? ways[0];
  const chosen = isTyped ? key : (way ?? key);
  if (chosen === undefined) throw new Error('this CRM offers no way to sign in in a browser');
  return chosen;
}

/** The ways to sign in with the CRM's app; a consent, which needs the least, first. */
export function listAppWays(signIns: readonly SignIn[]): readonly SignIn[] {
  const ways = signIns.filter(({ browser }) => browser === 'app');
  return ways.toSorted((a, b) => Number(b.isConsent ?? false) - Number(a.isConsent ?? false));
}

interface Typed {
  setup: Setup;
  form: Form;
  url: string;
}

/** Returns the values of a key. A secret that was entered before is kept for the same origin. */
function readKey({ kind }: AboutRemoteCrm, { type, fields }: SignIn, { setup, form, url }: Typed) {
  const before = getSignIn(setup);
  const wasEntered = before.kind === kind && before.type === type;
  const isKept = wasEntered && isSameOrigin(before.url ?? '', url);
  const values = fields.flatMap(({ name, noun, isSecret, isOptional = false }) => {
    const typed = one(form, name);
    const kept = isSecret && isKept ? before.textOf(name) : undefined;
    const value = typed || kept;
    if (value !== undefined) return [[name, value] as const];
    if (isSecret && wasEntered && before.textOf(name) !== undefined) {
      throw secretAgain('the address', noun, name);
    }
    if (!isOptional) throw missing(noun, name);
    return [];
  });
  return Object.fromEntries(values);
}

/** Returns the credentials of the app: what was typed, what the operator has set, or what was entered before. */
function readApp(
  { kind }: AboutRemoteCrm,
  { fields }: SignIn,
  {
    setup,
    form,
    url,
    own,
  }: Typed & { own: { clientId: string; clientSecret?: string | undefined } | undefined },
) {
  const last = getSignIn(setup);
  const before = { clientId: last.textOf('clientId'), clientSecret: last.textOf('clientSecret') };
  const isSame = last.kind === kind && isSameOrigin(last.url ?? '', url);
  const clientId = one(form, 'clientId') || own?.clientId || (isSame ? before.clientId : undefined);
  const isKept = isSame && clientId === before.clientId;
  const clientSecret =
    one(form, 'clientSecret') ||
    (clientId === own?.clientId ? own?.clientSecret : undefined) ||
    (isKept ? before.clientSecret : undefined);
  if (clientId === undefined) throw missing("the app's client ID", 'clientId');
  if (
    clientSecret === undefined &&
    !isKept &&
    before.clientSecret !== undefined &&
    last.kind === kind
  ) {
    throw secretAgain('the address or the app', 'the client secret', 'clientSecret');
  }
  const isNeeded = fields.some(({ name, isOptional }) => name === 'clientSecret' && !isOptional);
  if (clientSecret === undefined && isNeeded)
    throw missing("the app's client secret", 'clientSecret');
  return { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
}

/** Returns the CRM's settings with a different way to sign in. */
function signedIn({ answers, done }: Setup, crm: NonNullable<Answers['crm']>): Partial<Draft> {
  const rest = answers.crm?.kind === crm.kind ? answers.crm : undefined;
  return {
    answers: withAddress(
      { ...cleared(answers, crm.kind), crm: { ...rest, ...crm } },
      textIn(rest?.['url']),
      textIn(crm['url']),
    ),
    account: null,
    done: done.filter((step) => step !== 'crm'),
  };
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns true if users do not have to grant access on a page of the CRM. */
export function isSignedIn({ answers }: Partial<Pick<Draft, 'answers'>>): boolean {
  if (answers === undefined) return false;
  const { kind, type } = getSignIn({ answers });
  const signIn = findRemoteCrm(kind)?.setup.signIns.find((one) => one.type === type);
  return signIn !== undefined && signIn.isConsent !== true;
}

/** The same ID means a different person in another CRM, so every profile would be paid for again. */
export function requireSameKind({ isNew, stored, answers }: Setup, kind: string): void {
  if ((isNew && stored === null) || answers.crm?.kind === kind) return;
  throw new ConfigurationError(
    'The contacts of this client stay in the CRM that they came from. Add another client for another CRM.',
    { code: 'setup_other_crm' },
  );
}

/** Settings of one kind of CRM are not valid for another. */
export function cleared(answers: Answers, kind: string): Answers {
  if (answers.crm === undefined || answers.crm.kind === kind) return answers;
  const { fields: _, contacts, ...others } = answers;
  const { objections } = contacts;
  const none = { filter: null, optOutField: null, optOutValues: null };
  const marks = { deceasedField: null, doNotContactField: null };
  return { ...others, networks: [], contacts: { ...contacts, ...none, ...marks, objections } };
}

function missing(what: string, field: string): ConfigurationError {
  return aboutField(answerMissing(`Enter ${what}.`), field);
}

/** The questions that must be answered before the next step. */
export function answerMissing(what: string): ConfigurationError {
  return new ConfigurationError(what, { code: 'setup_answer_missing' });
}

/** A secret is sent only to the origin that the user typed it for. */
export function secretAgain(changed: string, secret: string, field: string): ConfigurationError {
  const refusal = new ConfigurationError(
    `You changed ${changed}, so enter ${secret} again. A secret is only sent to the address that it was entered for.`,
    { code: 'setup_secret_again' },
  );
  return aboutField(refusal, field);
}

function peopleAnswers({ answers }: Setup, form: Form): Answers {
  const { crm, contacts } = answers;
  if (crm === undefined) throw answerMissing('Choose where the contacts are.');
  const marks = markAnswers(contacts, form);
  if (crm.kind !== 'csv') {
    const filter = one(form, 'filter') || null;
    const employer = one(form, 'employer');
    const said = employer === '' ? crm : { ...crm, employer };
    return { ...answers, crm: said, contacts: { ...contacts, ...marks, filter } };
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

const meaningSchema = z.tuple([z.enum(['marked', 'unmarked', '']), z.string().trim().min(1)]);

/**
 * Returns the fields that mark contacts, and the meanings of their values. The meanings of other fields'
 * values are discarded.
 */
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
 * Networks provide warm paths, which have separate fields: the connector's fields, unless the user chose
 * others.
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

/** The schedules that are offered by name. `H` is replaced by the hour. */
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
  // Without an answer, UTC is not used, because the credits would be spent at a different hour than the user
  // expects.
  const timezone = requireAnswer(QUESTIONS.timezone, one(form, 'timezone'), 'timezone');
  return { catchUp: true, jitterMs: 30_000, ...before, cron, timezone };
}

/** The address is a secret, so it is not shown again. If the field is empty, the stored address is kept. */
export async function withAlerts(answers: Answers, form: Form, allowed: Allowed): Promise<Answers> {
  const { alerts, ...others } = answers;
  if (one(form, 'alertsOff') !== '') return others;
  const url = one(form, 'alertsUrl');
  if (url === '') return answers;
  await requirePublic(allowed, url, 'alertsUrl');
  return withAddress({ ...others, alerts: { webhook: { url } } }, alerts?.webhook.url, url);
}
