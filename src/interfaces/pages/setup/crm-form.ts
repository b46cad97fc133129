/** Converts the form of the first step into the CRM's settings, with the address and the sign-in method. */
import { z } from 'zod';
import type { AboutRemoteCrm, SignIn } from '../../../../connectors/about.ts';
import { findRemoteCrm, REMOTE_CRMS } from '../../../../connectors/index.ts';
import { type Answers, type Draft, type Setup, withAddress } from '../../../clients/setup/draft.ts';
import { findAddressProblem } from '../../../clients/setup/interview/crm.ts';
import { ConfigurationError } from '../../../core/errors.ts';
import { isSameOrigin } from '../../../outbound/address.ts';
import { aboutField } from '../frame/refused-forms.ts';
import {
  type Allowed,
  type Form,
  missing,
  one,
  requirePublic,
  secretAgain,
} from './form-values.ts';

const authSchema = z.record(z.string(), z.unknown()).catch({});

/**
 * Returns the stored credentials. Pages never show their secrets, and donor-sync sends them only to their own origin.
 */
export function getSignIn({ answers: { crm } }: Pick<Setup, 'answers'>) {
  const auth = authSchema.parse(crm?.['auth'] ?? {});
  const textOf = (name: string) => textIn(auth[name]) || undefined;
  const url = typeof crm?.['url'] === 'string' ? crm['url'] : undefined;
  return { kind: crm?.kind, url, type: textOf('type'), textOf };
}

/** Converts the CRM's form into answers. Throws a ConfigurationError if users cannot set up this CRM in a browser. */
export async function crmAnswers(
  setup: Setup,
  form: Form,
  allowed: Allowed,
): Promise<Partial<Draft>> {
  const about = findRemoteCrm(one(form, 'kind'));
  if (about === undefined) {
    throw new ConfigurationError(
      `In a browser, you can connect ${REMOTE_NAMES}, or use a CSV file. Connector packages with a set-up are named in donor-sync.yaml (setup.packages).`,
      { code: 'setup_kind_refused' },
    );
  }
  requireSameKind(setup, about.kind);
  return signedIn(setup, await readCrm(about, setup, form, allowed));
}

/** Returns the settings for a kind of CRM from its form. Throws a ConfigurationError that names the invalid field. */
export async function readCrm(
  about: AboutRemoteCrm,
  setup: Pick<Setup, 'answers'>,
  form: Form,
  allowed: Allowed,
): Promise<NonNullable<Answers['crm']>> {
  const { kind, setup: asks } = about;
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
  return { kind, url, auth: { type: signIn.type, ...auth } };
}

const REMOTE_NAMES = new Intl.ListFormat('en-GB').format(REMOTE_CRMS.map(({ name }) => name));

/**
 * Chooses the sign-in method. If the user has typed a key, the key is used. If the user has typed no key, the app is
 * used with the method in the form. By default, the user gives consent on a page of the CRM.
 */
function chooseSignIn({ setup: { signIns } }: AboutRemoteCrm, form: Form): SignIn {
  const key = signIns.find(({ browser }) => browser === 'key');
  const ways = listAppWays(signIns);
  const isTyped = key?.fields.some(({ name }) => one(form, name) !== '') === true;
  const way = ways.find(({ type }) => type === one(form, 'way')) ?? ways[0];
  const chosen = isTyped ? key : (way ?? key);
  if (chosen === undefined) throw new Error('this CRM offers no way to sign in in a browser');
  return chosen;
}

/**
 * Returns the sign-in methods that use the CRM's app. The method with the CRM's consent page comes first, because it
 * requires the fewest steps.
 */
export function listAppWays(signIns: readonly SignIn[]): readonly SignIn[] {
  const ways = signIns.filter(({ browser }) => browser === 'app');
  return ways.toSorted((a, b) => Number(b.isConsent ?? false) - Number(a.isConsent ?? false));
}

interface Typed {
  setup: Pick<Setup, 'answers'>;
  form: Form;
  url: string;
}

/** Reads the key from the form. An earlier secret is kept if the typed origin is the origin of the secret. */
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

/**
 * Returns the app's credentials. The credentials are the typed credentials, the operator's credentials, or the
 * credentials from an earlier step.
 */
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

/** Returns the CRM's settings with a different sign-in method. */
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

/** True if the user does not have to grant access on a page of the CRM. */
export function isSignedIn({ answers }: Partial<Pick<Draft, 'answers'>>): boolean {
  if (answers === undefined) return false;
  const { kind, type } = getSignIn({ answers });
  const signIn = findRemoteCrm(kind)?.setup.signIns.find((one) => one.type === type);
  return signIn !== undefined && signIn.isConsent !== true;
}

/**
 * Throws a ConfigurationError if the user changed the kind of CRM. The same ID means a different person in another CRM,
 * so donor-sync would pay for every profile again.
 */
export function requireSameKind({ isNew, stored, answers }: Setup, kind: string): void {
  if ((isNew && stored === null) || answers.crm?.kind === kind) return;
  throw new ConfigurationError(
    'The contacts of this client stay in the CRM that they came from. Add another client for another CRM.',
    { code: 'setup_other_crm' },
  );
}

/** Removes the settings of the previous kind of CRM, because they are invalid for the new kind. */
export function cleared(answers: Answers, kind: string): Answers {
  if (answers.crm === undefined || answers.crm.kind === kind) return answers;
  const { fields: _, contacts, ...others } = answers;
  const { objections } = contacts;
  const none = { filter: null, optOutField: null, optOutValues: null };
  const marks = { deceasedField: null, doNotContactField: null };
  return { ...others, networks: [], contacts: { ...contacts, ...none, ...marks, objections } };
}
