import { z } from 'zod';
import { openDatabase } from '../../../src/database/database.ts';
import type { Database } from '../../../src/database/tables/tables.ts';
import { type Mail, startMailServer } from '../../clients/alerts/receivers.ts';
import { controlService } from '../../helpers/service-control.ts';
import { type Kind, openSetupWorld, type SetupWorld } from '../setup-world.ts';
import { ROBIN } from './accounts.ts';
import { openHttpsFront } from './https-front.ts';

/** A real `serve`, and every external service that the three users need. */
export interface WalkWorld extends SetupWorld {
  kind: Kind;
  /** The address of a browser proxy. The proxy resolves the colleagues' address to the server. */
  proxy: string;
  /** The emails that arrived, for all recipients. */
  mails: readonly Mail[];
  /** Returns the full names that only one contact in the CRM has. */
  listNames(): Promise<string[]>;
  /**
   * Restarts the service to recover an account. The function simulates that a month has passed in which no monthly
   * email was sent.
   */
  recoverAfterAMonth(): Promise<string>;
}

/**
 * The name of the group that the users copy to a network, for each kind of CRM. Each CRM stores its board differently.
 */
export const BOARD = { salesforce: 'Board of Directors', hubspot: 'Board', csv: 'Board' } as const;

/**
 * Starts the product in an empty folder, as its operator does. The environment variables set the mail server and the
 * price of a credit.
 */
export async function openWalkWorld(program: string, kind: Kind): Promise<WalkWorld> {
  const mailServer = await startMailServer();
  const world = await openSetupWorld(program, [kind], {
    ...{ contacts: CONTACTS, donors: CONTACTS },
    env: {
      ...{ SMTP_URL: mailServer.url, ALERTS_FROM: SENDER, ALERTS_TO: ROBIN.email },
      CREDIT_PRICE: '0.50 USD',
    },
  });
  const front = await openHttpsFront(world.url);
  if (kind === 'salesforce') await misspell(world);
  return {
    ...world,
    ...{ kind, proxy: front.proxy, mails: mailServer.mails },
    async listNames() {
      const crm = kind === 'csv' ? world.service : world.crms[kind];
      const people = await controlService({ rootUrl: crm?.rootUrl ?? '' }).people(CONTACTS);
      const names = people.flatMap(({ firstName, lastName }) =>
        firstName === null || lastName === null || isMisspelt(lastName)
          ? []
          : [`${firstName} ${lastName}`],
      );
      return names.filter(
        (name, index) => names.indexOf(name) === index && names.lastIndexOf(name) === index,
      );
    },
    recoverAfterAMonth: () => world.recover(() => letAMonthPass(world)),
    async close() {
      await front.close();
      await world.close();
      await mailServer.close();
    },
  };
}

const SENDER = 'donor-sync <sync@example.org>';

const CONTACTS = 60;

const contactsSchema = z.object({
  records: z.array(z.object({ Id: z.string(), LastName: z.string() })),
});

/**
 * The length above which a last name counts as misspelt after a change of one letter. A shorter last name counts as a
 * different name.
 */
const SHORT = 4;

/** Returns true if this last name could be the changed name before or after the change. */
function isMisspelt(lastName: string): boolean {
  return lastName.length === SHORT || (lastName.length === SHORT + 1 && lastName.endsWith('e'));
}

/** Changes a contact's last name a little, so that its profile needs a decision. */
async function misspell({ crms: { salesforce } }: SetupWorld): Promise<void> {
  const soql = 'SELECT Id, LastName FROM Contact ORDER BY Id';
  const answer = await fetch(
    `${salesforce?.baseUrl}/services/data/v60.0/query?q=${encodeURIComponent(soql)}`,
    { headers: { authorization: `Bearer ${salesforce?.token}` } },
  );
  const { records } = contactsSchema.parse(await answer.json());
  const short = records.find(({ LastName: { length } }) => length === SHORT);
  if (short === undefined) throw new Error('No contact has a short last name.');
  const edited = await fetch(`${salesforce?.rootUrl}/_sandbox/edit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ action: 'update', id: short.Id, values: { LastName: `${short.LastName}e` } },
    }),
  });
  if (!edited.ok) throw new Error(await edited.text());
}

/**
 * The test cannot wait for a month. It changes the database, as if users had chosen their emails in an earlier month.
 */
async function letAMonthPass({ path }: SetupWorld): Promise<void> {
  const { db, close } = await openDatabase(`sqlite:${path('data/donor-sync.db')}`);
  const change = (all: Database) => all.updateTable('mail_choices').set({ month: '2020-01' });
  await change(db).execute().finally(close);
}
