import { z } from 'zod';
import type { ConnectorOptions, Finding } from '../contract.ts';
import { attempt, checked, met, metContacts, metMarks, plain } from '../findings/findings.ts';
import type { Http } from '../requests/http.ts';
import { NOT_VERIFIED } from './not-verified.ts';
import { findRecords, readFacts, sampleIds } from './read.ts';
import { type BloomerangSession, openHttp, openSession } from './session.ts';
import type { BloomerangSettings } from './settings.ts';
import { openBloomerangCheck } from './write-check.ts';

const KEY_FIX = 'Write a private key of a Bloomerang user into crm.auth.apiKey.';
const CONTACTS_FIX = 'Correct the setting that the message names, then run doctor again.';

/** Checks every prerequisite of a client with Bloomerang. The check does not change anything in Bloomerang. */
export async function check(options: ConnectorOptions<BloomerangSettings>): Promise<Finding[]> {
  const http = openHttp(options);
  const findings: Finding[] = [];
  try {
    await examine(findings, options, http);
  } finally {
    http.close();
  }
  return findings;
}

const databaseSchema = z.object({ Id: z.union([z.string(), z.number()]), Name: z.string() });
const userSchema = z.object({ PermissionLevel: z.string().nullish() });

async function examine(
  findings: Finding[],
  options: ConnectorOptions<BloomerangSettings>,
  http: Http,
): Promise<void> {
  const { contacts, settings } = options;
  const database = await attempt(findings, 'sign-in', KEY_FIX, () =>
    http.read({ path: '/database' }, databaseSchema),
  );
  if (database === null) return;
  findings.push(met('sign-in', `The key belongs to the Bloomerang database "${database.Name}".`));
  findings.push(
    ...(await checked('permission', KEY_FIX, async () => {
      const { PermissionLevel } = await http.read({ path: '/user/current' }, userSchema);
      const level = PermissionLevel ?? 'unknown';
      return [plain(met('permission', `The key's user has the permission level ${level}.`))];
    })),
  );
  const account = { id: String(database.Id), name: database.Name };
  const writeCheck = await openBloomerangCheck(options, http, account, () => new Map());
  const finding = writeCheck.finding();
  findings.push(finding);
  // If the check failed, donor-sync does not open the connector, because that would only report the problem again.
  if (!finding.ok) return;
  const session = await attempt(findings, 'contacts', CONTACTS_FIX, () =>
    openSession(options, http),
  );
  if (session === null) return;
  findings.push(...metContacts('Bloomerang', contacts), ...metMarks(contacts));
  findings.push(
    ...(await checked('contacts', CONTACTS_FIX, async () => [
      ...(await durationFindings(session)),
      ...(await restrictionFindings(session)),
    ])),
  );
  findings.push(currencyFinding(settings), ...previewFindings());
}

/** Estimates the duration of a run. A write to a constituent takes one request. */
async function durationFindings(session: BloomerangSession): Promise<Finding[]> {
  const [fact] = await readFacts(session);
  const people = Number(fact?.value ?? 0);
  const { requestsPerSecond } = session.settings;
  const count = people.toLocaleString('en-US');
  if (requestsPerSecond === 0) {
    return [plain(met('duration', `Bloomerang has ${count} individuals. Requests have no limit.`))];
  }
  const minutes = Math.ceil((people + people / 20) / requestsPerSecond / 60);
  const message = `Bloomerang has ${count} individuals. At ${requestsPerSecond} requests a second, writing all of them takes about ${minutes} minutes.`;
  return [plain(met('duration', message))];
}

/** The number of constituents that the check reads. */
const SAMPLE = 50;

/** Reports marks about letters and calls. donor-sync never treats them as an opt-out. */
async function restrictionFindings(session: BloomerangSession): Promise<Finding[]> {
  const { contacts } = session;
  const named = [contacts.optOutField, contacts.doNotContactField];
  if (named.some((name) => name === 'CommunicationRestrictions')) return [];
  const records = await findRecords(session, await sampleIds(session, SAMPLE));
  const restricted = [...records.values()].filter(
    ({ CommunicationRestrictions }) => (CommunicationRestrictions ?? []).length > 0,
  );
  if (restricted.length === 0) return [];
  const message = `${restricted.length} of ${records.size} constituents have a communication restriction (DoNotCall, DoNotMail, DoNotSolicit). These marks are about mail and calls, so donor-sync enhances these contacts.`;
  const fix =
    'You do not have to do anything if this is intended. Otherwise set contacts.doNotContactField: CommunicationRestrictions, and list the restrictions that exclude a contact in contacts.doNotContactValues.';
  return [plain({ subject: 'communication restrictions', ok: true, message, fix })];
}

function currencyFinding({ currencyCode }: BloomerangSettings): Finding {
  const message =
    currencyCode === 'USD'
      ? 'Bloomerang does not report its currency. Amounts are written as US dollars; if your database has another currency, set crm.currencyCode.'
      : `crm.currencyCode is ${currencyCode}, so amounts are not written to fields of the type Currency. Map fields of the type Decimal or Text.`;
  return plain(met('currency', message));
}

function previewFindings(): Finding[] {
  const preview = met(
    'preview',
    'The connector for Bloomerang is a preview: nobody has run it on a real account yet.',
  );
  return [
    plain(preview),
    ...NOT_VERIFIED.map(({ question, answer }) =>
      plain(met('not verified', `${question}: ${answer}`)),
    ),
  ];
}
