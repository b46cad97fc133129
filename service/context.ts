/** The data that middleware stores on a request. */

import type { HttpBindings } from '@hono/node-server';
import type { ServiceFault } from './faults.ts';
import type { ApiKey } from './keys.ts';

export interface PartnerEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The fault that the service must simulate, which only the outermost middleware sets. */
    fault: ServiceFault | undefined;
    /** The request's key. Authentication sets it. */
    key: ApiKey;
    /** The parsed body, or undefined if the request has no body. */
    body: unknown;
    /** The number of credits that were charged for this request. The number is equal to the number of paid items. */
    charged: number;
    /** The number of the charge's line in the ledger, or null if the request costs nothing. */
    chargeId: number | null;
    /**
     * Completes the request's charge, so that the caller pays only for processed items. Call `settle` in the
     * transaction of the paid work.
     */
    settle: (processed?: number) => void;
  };
}
