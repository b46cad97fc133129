/** The options of the stand-ins of all CRMs, beside those of every sandbox. */

import {
  createParts,
  type FaultKinds,
  type SandboxOptions,
  type SandboxParts,
} from '../../testbed/options.ts';
import { createRequestLog, type RequestLog } from '../../testbed/request-log.ts';
import type { RequestDetails } from './requests.ts';

const DEFAULT_CONTACTS = 500;

/** How the stand-in of a CRM behaves; everything has a default. */
export interface CrmSandboxOptions extends SandboxOptions {
  /** How many contacts it has at first; 500 by default. */
  contacts?: number;
  /** How long an access token of OAuth is good, 0 for ever; as long as the CRM's by default. */
  tokenLifetimeMs?: number;
  /** Whether each use of a refresh token gives a new one and ends the old one; false by default. */
  rotateRefreshTokens?: boolean;
}

/** What the options make for the stand-in of every CRM. */
export interface CrmParts<Fault> extends SandboxParts<Fault> {
  contactCount: number;
  requests: RequestLog<RequestDetails>;
  rotateRefreshTokens: boolean;
}

/** Makes what is given by no option. */
export function createCrmParts<Fault>(
  options: CrmSandboxOptions,
  faultKinds: FaultKinds<Fault>,
): CrmParts<Fault> {
  return {
    ...createParts(options, faultKinds),
    contactCount: options.contacts ?? DEFAULT_CONTACTS,
    requests: createRequestLog(),
    rotateRefreshTokens: options.rotateRefreshTokens ?? false,
  };
}
