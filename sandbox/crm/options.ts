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

/** The options of a CRM's stand-in, each of which has a default value. */
export interface CrmSandboxOptions extends SandboxOptions {
  /** The number of contacts at the start. The default is 500. */
  contacts?: number;
  /**
   * The lifetime of an OAuth access token (ms). 0 means that the token never expires. The default is the lifetime in
   * the real CRM.
   */
  tokenLifetimeMs?: number;
  /**
   * True if each use of a refresh token returns a new refresh token and invalidates the used token. The default is
   * false.
   */
  rotateRefreshTokens?: boolean;
}

/** The parts that each CRM stand-in creates from its options. */
export interface CrmParts<Fault> extends SandboxParts<Fault> {
  contactCount: number;
  requests: RequestLog<RequestDetails>;
  rotateRefreshTokens: boolean;
}

/** Creates the parts that all stand-ins need. If an option is missing, uses its default value. */
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
