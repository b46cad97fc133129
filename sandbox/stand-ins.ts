/**
 * Lists the stand-ins of CRMs. The command `donor-sync sandbox` has a subcommand for each stand-in, and the demo starts
 * some of them.
 */
import { bloomerangStandIn } from './bloomerang/stand-in.ts';
import { civicrmStandIn } from './civicrm/stand-in.ts';
import type { CrmStandIn } from './crm/stand-in.ts';
import { hubspotStandIn } from './hubspot/stand-in.ts';
import { salesforceStandIn } from './salesforce/stand-in.ts';

export const CRM_STAND_INS: readonly CrmStandIn[] = [
  salesforceStandIn,
  hubspotStandIn,
  bloomerangStandIn,
  civicrmStandIn,
];
