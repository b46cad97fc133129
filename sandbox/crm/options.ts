/** The additional options that all CRM stand-ins have. */

import {
  createParts,
  type FaultKinds,
  type SandboxOptions,
  type SandboxParts,
} from '../../testbed/options.ts';
import { createRequestLog, type RequestLog } from '../../testbed/request-log.ts';
import type { RequestDetails } from './requests.ts';

const DEFAULT_CONTACTS = 500;

/** The options of a CRM's stand-in. Every option has a default. */
export interface CrmSandboxOptions extends SandboxOptions {
  /** The number of contacts at the start. Defaults to 500. */
  contacts?: number;
  /** The lifetime of an OAuth access token. 0 means it never expires. Defaults to the CRM's own lifetime. */
  tokenLifetimeMs?: number;
  /** True if each use of a refresh token returns a new token and invalidates the old one. Defaults to false. */
  rotateRefreshTokens?: boolean;
}

/** The parts that every CRM stand-in creates from its options. */
export interface CrmParts<Fault> extends SandboxParts<Fault> {
  contactCount: number;
  requests: RequestLog<RequestDetails>;
  rotateRefreshTokens: boolean;
}

/** Creates the parts that all stand-ins need. Uses the default for each missing option. */
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
