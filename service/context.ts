/** The data that middleware stores on a request. */

import type { HttpBindings } from '@hono/node-server';
import type { ServiceFault } from './faults.ts';
import type { ApiKey } from './keys.ts';

export interface PartnerEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The fault that the service must simulate. Only the outermost middleware sets the fault. */
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
     * Completes this request's charge. The caller pays only for processed items. Call it in the same transaction as the
     * paid work.
     */
    settle: (processed?: number) => void;
  };
}
