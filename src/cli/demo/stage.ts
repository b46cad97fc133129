/** All of the demo that knows the sandbox, loaded when a demo is really played. */
import { startPartnerSandbox } from '../../../sandbox/partner/index.ts';
import { createWorld } from '../../../sandbox/people/world.ts';
import { startSalesforceSandbox } from '../../../sandbox/salesforce/index.ts';
import { createCast, type DemoContact } from './cast.ts';

/** A service that is running, and the contact list of a nonprofit. */
export interface Stage {
  /** The service's {base_url}. */
  baseUrl: string;
  apiKey: string;
  /** Where `/_sandbox` is found. */
  rootUrl: string;
  contacts: DemoContact[];
  /** A Salesforce org of the same people, with the Nonprofit Success Pack. */
  salesforce: { baseUrl: string; token: string; contactCount: number };
  close(): Promise<void>;
}

/** Enough people for namesakes to be among them, and few enough to start in a moment. */
const DONORS = 2_000;

/** Jobs take a couple of minutes in earnest; nobody wants to wait for that in a demo. */
const JOB_TIME_MS = 1_500;

/** What the demo's nonprofit has bought: some are left over after any demo. */
const SPARE_CREDITS = 100;

/** The contacts of the org. */
const ORG_CONTACTS = 25;

/** Starts the service with its documented limits and the org, and draws up the contact list. */
export async function setStage(size: number): Promise<Stage> {
  const world = createWorld({ seed: 1, donors: Math.max(DONORS, size) });
  const service = await startPartnerSandbox({
    world,
    jobTimeMs: JOB_TIME_MS,
    credits: size + ORG_CONTACTS + SPARE_CREDITS,
  });
  const org = await startSalesforceSandbox({ world, contacts: ORG_CONTACTS });
  return {
    ...service,
    contacts: createCast(world, size),
    salesforce: { baseUrl: org.baseUrl, token: org.token, contactCount: ORG_CONTACTS },
    async close() {
      await org.close();
      await service.close();
    },
  };
}
