/** The options of all CRM stand-ins, in addition to those of every sandbox. */

import {
  createParts,
  type FaultKinds,
  type SandboxOptions,
  type SandboxParts,
} from '../../testbed/options.ts';
import { createRequestLog, type RequestLog } from '../../testbed/request-log.ts';
import type { RequestDetails } from './requests.ts';

const DEFAULT_CONTACTS = 500;

/** How the stand-in of a CRM behaves. Every option has a default. */
export interface CrmSandboxOptions extends SandboxOptions {
  /** Number of contacts at the start. Default: 500. */
  contacts?: number;
  /**
   * Lifetime of an OAuth access token; 0 means it never expires. Default: the CRM's own lifetime.
   */
  tokenLifetimeMs?: number;
  /** Whether each use of a refresh token returns a new one and ends the old one. Default: false. */
  rotateRefreshTokens?: boolean;
}

/** The parts that the options create for the stand-in of every CRM. */
export interface CrmParts<Fault> extends SandboxParts<Fault> {
  contactCount: number;
  requests: RequestLog<RequestDetails>;
  rotateRefreshTokens: boolean;
}

/** Creates the parts, with the default for each option that is missing. */
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
