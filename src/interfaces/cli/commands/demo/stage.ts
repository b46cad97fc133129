/** The part of the demo that imports the sandboxes. It is loaded only when a demo runs. */

import { createWorld } from '../../../../../people/world.ts';
import { startHubspotSandbox } from '../../../../../sandbox/hubspot/index.ts';
import { startPartnerSandbox } from '../../../../../sandbox/partner/index.ts';
import { startSalesforceSandbox } from '../../../../../sandbox/salesforce/index.ts';
import { createDemoContacts, type DemoContact } from './contacts.ts';
import type { CrmKind } from './folder.ts';

/** A running service, and a nonprofit's contact list. */
export interface Stage {
  /** The service's `{base_url}`. */
  baseUrl: string;
  apiKey: string;
  /** The address above `/_sandbox`. */
  rootUrl: string;
  contacts: DemoContact[];
  /**
   * A Salesforce org with the Nonprofit Success Pack, and a HubSpot account. Both contain the same people as
   * contacts.
   */
  crms: Readonly<Record<CrmKind, { baseUrl: string; token: string }>>;
  close(): Promise<void>;
}

/** Enough people to include namesakes, and few enough for a quick start. */
const DONORS = 2_000;

/** In the real service, jobs take some minutes; a demo should be faster. */
const JOB_TIME_MS = 1_500;

/** The extra credits that the demo's nonprofit has bought, so that some are left after any demo. */
const SPARE_CREDITS = 100;

/** The contacts of each CRM. */
const CRM_CONTACTS = 60;

/** Starts the CRMs and the service with its documented limits, and creates the contact list. */
export async function setStage(size: number): Promise<Stage> {
  const world = createWorld({ seed: 1, donors: Math.max(DONORS, size) });
  const service = await startPartnerSandbox({
    world,
    jobTimeMs: JOB_TIME_MS,
    networkJobTimeMs: JOB_TIME_MS,
    credits: size + 2 * CRM_CONTACTS + SPARE_CREDITS,
  });
  const salesforce = await startSalesforceSandbox({ world, contacts: CRM_CONTACTS });
  const hubspot = await startHubspotSandbox({ world, contacts: CRM_CONTACTS, searchLagMs: 0 });
  return {
    ...service,
    contacts: createDemoContacts(world, size),
    crms: { salesforce, hubspot },
    async close() {
      await hubspot.close();
      await salesforce.close();
      await service.close();
    },
  };
}
