/**
 * Sends the monthly emails that users have chosen. For each user and kind of email, a row contains the last month that
 * was sent. The process that updates this row sends the email, so that several hosts send it only once. The row is
 * updated before the email is sent. If the process is killed in between, the email of this month is missing.
 */
import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Log } from '../../core/log.ts';
import { MAIL_KINDS, MAIL_RULES, type MailKind } from '../../core/mail-kinds.ts';
import { completeDays, type Retention } from '../../core/retention.ts';
import { mayActAs } from '../../core/role.ts';
import { listSpendingClients, toDay, toMonth } from '../../credits/statements/credit-spans.ts';
import { getDatabaseTime } from '../../database/database-time.ts';
import type { Sealer } from '../../database/encryption/sealed.ts';
import type { Reader } from '../../database/reader.ts';
import { rankIntroductions } from '../../paths/rank-introductions.ts';
import { countPathsFound } from '../../paths/statements/warm-paths.ts';
import { isVerified, stopPath } from '../../people/monthly-mails.ts';
import {
  claimMail,
  listDueMails,
  type MailChoice,
  releaseMail,
} from '../../people/statements/mail-choices.ts';
import { findPersonBy, type PersonRecord } from '../../people/statements/people.ts';
import { readIdentity } from '../../people/user-accounts.ts';
import type { Store } from '../../store.ts';
import { isSurelyUnsent, type MailServer, sendMail } from '../alerts/email.ts';
import { SEND_LIMIT_MS } from '../alerts/notifier.ts';
import { readMonth, toSpan } from '../results/month-results.ts';
import {
  type ClientLines,
  composeMonthlyMail,
  describeIntroductions,
  describeResults,
} from './compose.ts';

export interface MonthlyMailsDeps {
  store: Store;
  sealer: Pick<Sealer, 'open'>;
  integrations: ReadonlyMap<string, Integration>;
  retention: Pick<Retention, 'profiles'>;
  /** The SMTP server. Null if the settings contain none. No emails are then sent. */
  server: MailServer | null;
  /** Returns the server's address for the links in emails, at the time of sending. */
  readUrl(): Promise<string>;
  clock: Clock;
  log: Log;
}

export interface MonthlyMails {
  /** Sends the emails that are due. Then looks for due emails every ten minutes, until `close` is called. */
  start(): void;
  /** Sends the emails that are due. This function never rejects. */
  tick(): Promise<void>;
  /** Cancels the email that is being sent. Resolves soon after that. */
  close(): Promise<void>;
}

const CHECK_INTERVAL_MS = 600_000;

const RETRY_WAIT_MS = 3_600_000;

/** The maximum number of clients in an email. Users would not read a longer list. The page shows all clients. */
export const MOST_CLIENTS = 50;

export function createMonthlyMails(deps: MonthlyMailsDeps): MonthlyMails {
  const { store, server, clock, log } = deps;
  const closing = new AbortController();
  /** The earliest time of the next attempt (ms of the monotonic clock). */
  const retries = new Map<string, number>();
  let underWay: Promise<void> = Promise.resolve();
  let watching: Promise<void> = Promise.resolve();

  return {
    start() {
      watching = watch();
    },
    tick,
    async close() {
      closing.abort();
      await watching;
      await underWay;
    },
  };

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await tick();
      await clock.sleep(CHECK_INTERVAL_MS, closing.signal);
    }
  }

  function tick(): Promise<void> {
    underWay = underWay.then(sendDue).catch((error: unknown) => {
      log.error({ error: messageOf(error) }, 'the monthly mails could not be sent');
    });
    return underWay;
  }

  async function sendDue(): Promise<void> {
    if (server === null) return;
    const now = await getDatabaseTime(store.reader);
    const month = toMonth(toDay(now));
    for (const choice of await listDueMails(store.reader, listDueKinds(now), month)) {
      if (closing.signal.aborted) return;
      const key = `${choice.personId} ${choice.kind}`;
      if ((retries.get(key) ?? 0) > clock.monotonicMs()) continue;
      if (await sendOne(server, choice, { month, now })) retries.delete(key);
      else retries.set(key, clock.monotonicMs() + RETRY_WAIT_MS);
    }
  }

  /** Sends an email. Returns false if the email must be sent again later. */
  async function sendOne(
    server: MailServer,
    choice: MailChoice,
    { month, now }: { month: string; now: number },
  ): Promise<boolean> {
    const { kind, personId } = choice;
    const person = await findEntitled(store.reader, choice);
    if (person === null) return true;
    const clients = listClients(deps.integrations, person);
    if (clients.length === 0) return true;
    const past = toMonth(toDay(toSpan(month).from - 1));
    const mail = composeMonthlyMail({
      kind,
      month: past,
      clients: await describeClients(kind, clients.slice(0, MOST_CLIENTS), past, now),
      more: Math.max(0, clients.length - MOST_CLIENTS),
      publicUrl: await deps.readUrl(),
      stopPath: stopPath(store, choice),
    });
    const { email: to } = readIdentity(deps.sealer, person);
    // Reads the user's rights in the same transaction, so that users get no email after they lose their rights.
    const isClaimed = await store.act(async (trx) => {
      const present = await findEntitled(trx, choice);
      return present !== null && isSameAccess(person, present) && claimMail(trx, choice, month);
    });
    // Another process has claimed the email, or the user's rights have changed.
    if (!isClaimed) return true;
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(SEND_LIMIT_MS)]);
      await sendMail(server, { ...mail, to }, signal);
      log.info({ mail: kind, user: personId }, 'a monthly mail was sent');
      return true;
    } catch (error) {
      const isUnsent = isSurelyUnsent(error);
      // The response of an SMTP server may contain the recipient's address, so it is not logged.
      log.warn({ mail: kind, user: personId, willRetry: isUnsent }, 'a monthly mail was not sent');
      if (isUnsent) await store.act((trx) => releaseMail(trx, choice, month));
      return !isUnsent;
    }
  }

  async function describeClients(
    kind: MailKind,
    clients: readonly Integration[],
    month: string,
    now: number,
  ): Promise<ClientLines[]> {
    const described: ClientLines[] = [];
    const ids = clients.map(({ id }) => id);
    const page = { offset: 0, limit: MOST_CLIENTS };
    const spending =
      kind === 'results' ? await listSpendingClients(store.reader, month, ids, page) : null;
    for (const client of clients) {
      const { id, name = id } = client;
      if (spending === null) {
        const counts = await countIntroductions(id, month);
        described.push({ name, lines: describeIntroductions(counts), path: pathOf(kind, id) });
        continue;
      }
      const days = completeDays(client, deps.retention);
      const results = await readMonth(
        { ...deps, ...store, clock: { now: () => now } },
        id,
        month,
        days,
      );
      const spent = spending.clients.find(({ integrationId }) => integrationId === id);
      const { enhancements = 0, networks = 0, queries = 0 } = spent ?? {};
      const lines = describeResults({ ...results, credits: { enhancements, networks, queries } });
      described.push({ name, lines, path: `${pathOf(kind, id)}&month=${month}` });
    }
    return described;
  }

  async function countIntroductions(integrationId: string, month: string) {
    const { reader, fingerprint } = store;
    const ranked = await rankIntroductions(
      { reader, fingerprint, sealer: deps.sealer },
      integrationId,
    );
    const found = await countPathsFound(reader, integrationId, toSpan(month));
    return { all: ranked.length, fresh: Math.min(found, ranked.length) };
  }
}

/** Returns the user if the user may receive this email now. */
async function findEntitled(
  reader: Reader,
  { personId, kind }: Pick<MailChoice, 'personId' | 'kind'>,
): Promise<PersonRecord | null> {
  const person = await findPersonBy(reader, 'id', personId);
  if (person === null || person.disabledAt !== null || person.joinedAt === null) return null;
  return isVerified(person) && mayActAs(person.role, MAIL_RULES[kind].role) ? person : null;
}

/** True if both records have the same access. A pure function. */
function isSameAccess(one: PersonRecord, other: PersonRecord): boolean {
  return JSON.stringify(one.integrations) === JSON.stringify(other.integrations);
}

function listClients(
  integrations: ReadonlyMap<string, Integration>,
  { integrations: access }: PersonRecord,
): Integration[] {
  const nameOf = ({ id, name = id }: Integration) => name;
  return [...integrations.values()]
    .filter(({ id }) => access === null || access.includes(id))
    .sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en'));
}

function pathOf(kind: MailKind, id: string): string {
  const part = encodeURIComponent(id);
  return kind === 'introductions' ? `/introductions/${part}` : `/results?client=${part}`;
}

/** Returns the monthly emails that are due at this time (epoch ms). A pure function. */
function listDueKinds(now: number): MailKind[] {
  const day = new Date(now).getUTCDate();
  return MAIL_KINDS.filter((kind) => day >= MAIL_RULES[kind].fromDay);
}
