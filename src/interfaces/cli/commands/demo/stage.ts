/** Prepares the demo. This file imports the sandboxes, so it is loaded only for a demo. */

import { createWorld, type World } from '../../../../../people/world.ts';
import { startPartnerSandbox } from '../../../../../sandbox/partner/index.ts';
import { CRM_STAND_INS } from '../../../../../sandbox/stand-ins.ts';
import { createDemoContacts, type DemoContact } from './contacts.ts';
import type { DemoCrmKind } from './crms.ts';
import type { ServedCrm } from './folder.ts';

/** A running service, and the nonprofit's contact list. */
export interface Stage {
  /** The service's `{base_url}`. */
  baseUrl: string;
  apiKey: string;
  /** The address above the paths `/_sandbox/…`. */
  rootUrl: string;
  contacts: DemoContact[];
  /** The chosen CRMs. The contacts in the chosen CRMs are the same people. */
  crms: readonly ServedCrm[];
  close(): Promise<void>;
}

/** The number of donors. This number is enough for namesakes, and small enough for a quick start. */
const DONORS = 2_000;

/** The duration of a job. A real job takes minutes, but a demo should be faster. */
const JOB_TIME_MS = 1_500;

/** Additional credits, so that some credits remain after the demo. */
const SPARE_CREDITS = 100;

const CRM_CONTACTS = 60;

/** Starts the service and the CRMs. The service enforces its documented limits. */
export async function setStage(size: number, kinds: readonly DemoCrmKind[]): Promise<Stage> {
  const world = createWorld({ seed: 1, donors: Math.max(DONORS, size) });
  const service = await startPartnerSandbox({
    world,
    jobTimeMs: JOB_TIME_MS,
    networkJobTimeMs: JOB_TIME_MS,
    credits: size + kinds.length * CRM_CONTACTS + SPARE_CREDITS,
  });
  const crms: Awaited<ReturnType<typeof startCrm>>[] = [];
  for (const crm of kinds) crms.push(await startCrm(world, crm));
  return {
    ...service,
    contacts: createDemoContacts(world, size),
    crms,
    async close() {
      for (const { close } of crms.toReversed()) await close();
      await service.close();
    },
  };
}

async function startCrm(world: World, crm: DemoCrmKind) {
  const standIn = CRM_STAND_INS.find(({ kind }) => kind === crm.kind);
  if (standIn === undefined) throw new Error(`there is no stand-in for ${crm.kind}`);
  const { line, close } = await standIn.start({ world, contacts: CRM_CONTACTS }, crm.own);
  return { crm, baseUrl: line.baseUrl, secret: String(line[crm.signIn.secret]), close };
}
