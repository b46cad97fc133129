/** Lets each user choose monthly emails on their own page. */
import { z } from 'zod';
import { sendMail } from '../clients/alerts/email.ts';
import { SEND_LIMIT_MS } from '../clients/alerts/notifier.ts';
import { composeProof } from '../clients/mails/compose.ts';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { MAIL_KINDS, MAIL_RULES, type MailKind } from '../core/mail-kinds.ts';
import { mayActAs } from '../core/role.ts';
import { invalidRequest } from '../core/shared-errors.ts';
import { toDay, toMonth } from '../credits/statements/credit-spans.ts';
import { getDatabaseTime } from '../database/database-time.ts';
import { hashToken } from '../people/access-token.ts';
import { createProof, isVerified } from '../people/monthly-mails.ts';
import { readAddresses } from '../people/server-address.ts';
import {
  chooseMail,
  dropEmailProof,
  listChosenMails,
  stopMail,
  verifyEmail,
} from '../people/statements/mail-choices.ts';
import { findPersonBy, listPersonRecords, type PersonRecord } from '../people/statements/people.ts';
import { emailFingerprint, personUnknown, readIdentity } from '../people/user-accounts.ts';
import { type ActingWorld, acting, changing, reading, type World } from './kit/operation.ts';

const USER = z
  .string()
  .min(1)
  .optional()
  .describe('The e-mail address or the whole ID of a user, for the terminal; others name nobody');

const kindSchema = z.enum(MAIL_KINDS);

const mailsSchema = z
  .object({
    user: z.string(),
    email: z.string().describe('The address of the user'),
    isVerified: z
      .boolean()
      .describe('True if the user has confirmed the address. Until then, nothing is sent'),
    problem: z
      .string()
      .nullable()
      .describe('Why donor-sync does not send emails at the moment; null if it does'),
    kinds: z.array(
      z.object({
        kind: kindSchema,
        isOn: z.boolean(),
        isAllowed: z.boolean().describe("False if the user's role does not show these numbers"),
      }),
    ),
  })
  .meta({ id: 'MonthlyMails' });

export type MailsView = z.output<typeof mailsSchema>;

const result = z.object({ mails: mailsSchema });

export const showMails = reading({
  name: 'mails show',
  summary: "Show a user's monthly emails, and why they cannot be sent",
  role: 'viewer',
  reach: 'some',
  by: 'person',
  input: z.object({ user: USER }),
  subjects: [],
  result,
  run: async (world, { user }) => ({
    mails: await describeMails(world, await findOwn(world, user)),
  }),
  say: ({ mails }) => describeState(mails),
});

export const setMail = acting({
  name: 'mails set',
  summary: 'Turn one of your own monthly emails on or off',
  details:
    'An email contains counts, links and the names of clients, but never the name of a contact. donor-sync sends it once a month to a verified address, starting next month. If the address is not verified, donor-sync first sends an email with a link. In the terminal, you can turn emails off but not on.',
  role: 'viewer',
  reach: 'some',
  by: 'person',
  input: z.object({
    kind: kindSchema.describe('The kind of email'),
    state: z.enum(['on', 'off']).describe('Whether it is sent'),
    user: USER,
  }),
  subjects: ['kind'],
  arguments: ['state'],
  result: result.extend({
    sentTo: z
      .string()
      .nullable()
      .describe('The address to which a link was sent that verifies it; null if none was sent'),
  }),
  async run(world, { kind, state, user }) {
    const person = await findOwn(world, user);
    const place = { personId: person.id, kind };
    if (state === 'off') {
      await world.store.act((trx) => stopMail(trx, place));
      return { mails: await describeMails(world, person), sentTo: null };
    }
    requireOwnWish(world);
    requireServer(world);
    requireRole(person, kind);
    const month = toMonth(toDay(await getDatabaseTime(world.reader)));
    await world.store.act((trx) => chooseMail(trx, place, month));
    const sentTo = isVerified(person) ? null : await sendProof(world, person);
    return { mails: await describeMails(world, person), sentTo };
  },
  say: ({ mails, sentTo }) => [
    ...describeState(mails),
    ...(sentTo === null ? [] : [`A link was sent to ${sentTo}. Open it to confirm the address.`]),
  ],
});

export const confirmEmail = changing({
  name: 'mails confirm',
  summary: 'Confirm your e-mail address with the code from an email',
  role: 'viewer',
  reach: 'some',
  by: 'person',
  input: z.object({ code: z.string().min(1).max(100).describe('The code at the end of the link') }),
  subjects: [],
  arguments: ['code'],
  result,
  async run(world, { code }) {
    const hash = hashToken(code);
    const owner = await findPersonBy(world.trx, 'email_proof', hash);
    const isTheirs =
      owner !== null && (world.caller.kind === 'machine' || owner.id === getOwnId(world));
    if (!isTheirs || !(await verifyEmail(world.trx, owner.id, hash))) throw codeWrong();
    const person = await findPersonBy(world.trx, 'id', owner.id);
    return { mails: await describeMails(world, person ?? owner) };
  },
  say: ({ mails: { email } }) =>
    `${email} is confirmed. donor-sync will send the emails that you chose to this address.`,
});

/** Finds the user whose emails are changed. The terminal has no user, so `--user` names one. */
async function findOwn(world: World, typed: string | undefined): Promise<PersonRecord> {
  if (world.caller.kind === 'machine') {
    if (typed === undefined) {
      throw invalidRequest('Name the user: --user ADDRESS. Nothing was changed.');
    }
    const email = emailFingerprint(world, typed);
    const all = await listPersonRecords(world.reader);
    const found = all.find((one) => one.id === typed || one.email === email);
    if (found === undefined) throw personUnknown(typed);
    return found;
  }
  const id = getOwnId(world);
  const own = id === null ? null : await findPersonBy(world.reader, 'id', id);
  if (own === null) {
    throw new ConfigurationError(
      'You have no account here, so donor-sync cannot send you emails. Nothing was changed. Create your account first.',
      { code: 'account_needed', refusal: 'conflict' },
    );
  }
  const isOwn =
    typed === undefined || typed === own.id || emailFingerprint(world, typed) === own.email;
  if (!isOwn) throw personUnknown(typed);
  return own;
}

function getOwnId({ caller: { account } }: World): string | null {
  return account?.kind === 'person' ? account.id : null;
}

async function describeMails(world: World, person: PersonRecord): Promise<MailsView> {
  const chosen = await listChosenMails(world.reader, person.id);
  const { email } = readIdentity(world.sealer, person);
  return {
    user: person.id,
    email,
    isVerified: isVerified(person),
    problem: findMailProblem(world),
    kinds: MAIL_KINDS.map((kind) => ({
      kind,
      isOn: chosen.includes(kind),
      isAllowed: mayActAs(person.role, MAIL_RULES[kind].role),
    })),
  };
}

function findMailProblem({ application: { settings } }: World): string | null {
  if (settings.alerts.email !== null) return null;
  return 'The settings do not contain a mail server, so donor-sync cannot send emails. The operator can add alerts.email with smtp, from and to.';
}

function describeState({ email, isVerified: isKnown, problem, kinds }: MailsView): string[] {
  return [
    ...kinds.map(({ kind, isOn }) => `${MAIL_RULES[kind].name}: ${isOn ? 'on' : 'off'}`),
    ...(isKnown ? [] : [`${email} is not confirmed yet, so nothing is sent to it.`]),
    ...(problem === null ? [] : [problem]),
  ];
}

function requireOwnWish({ caller }: World): void {
  if (caller.kind !== 'machine') return;
  throw new ConfigurationError(
    'Users can turn on emails only for themselves, under My account. Nothing was changed. In the terminal, you can turn emails off.',
    { code: 'mail_not_own', refusal: 'forbidden' },
  );
}

function requireServer(world: World): void {
  const problem = findMailProblem(world);
  if (problem === null) return;
  throw new ConfigurationError(`${problem} Nothing was changed.`, {
    code: 'mail_server_unset',
    refusal: 'conflict',
  });
}

function requireRole({ role }: PersonRecord, kind: MailKind): void {
  const { name, role: needed } = MAIL_RULES[kind];
  if (mayActAs(role, needed)) return;
  throw new ConfigurationError(
    `The email "${name}" requires the role ${needed}, but your role is ${role}. Nothing was changed.`,
    { code: 'mail_not_for_role', refusal: 'forbidden' },
  );
}

/**
 * Sends the link that verifies the user's address, and returns the address. Returns null if the last link is less than
 * a minute old.
 */
async function sendProof(world: ActingWorld, person: PersonRecord): Promise<string | null> {
  const { email: server } = world.application.settings.alerts;
  if (server === null) return null;
  const proof = await world.store.act((trx) => createProof(trx, person.id));
  if (proof === null) return null;
  const { email: to } = readIdentity(world.sealer, person);
  const { url } = await readAddresses(world.reader, world);
  try {
    const signal = AbortSignal.any([world.signal, AbortSignal.timeout(SEND_LIMIT_MS)]);
    await sendMail(server, { to, ...composeProof(url, proof.path) }, signal);
    return to;
  } catch (error) {
    await world.store.act((trx) => dropEmailProof(trx, person.id, proof.hash));
    throw new ConfigurationError(
      `The email that confirms your address was not sent. Your choice is saved. To try again, turn the email off and on. ${messageOf(error)}`,
      { code: 'mail_unsent', refusal: 'conflict' },
    );
  }
}

function codeWrong(): ConfigurationError {
  return new ConfigurationError(
    'This code does not confirm your address. It has been used, is older than a day, belongs to a different user, or has been replaced by a newer email. Nothing was changed. To get a new link, turn the email off and on again.',
    { code: 'mail_code_wrong', refusal: 'conflict' },
  );
}
