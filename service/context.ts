/** The data that middleware stores on a request. */

import type { HttpBindings } from '@hono/node-server';
import type { ServiceFault } from './faults.ts';
import type { ApiKey } from './keys.ts';

export interface PartnerEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The fault to simulate inside the service. Only the edge sets it. */
    fault: ServiceFault | undefined;
    /** The request's key. Authentication sets it. */
    key: ApiKey;
    /** The parsed body, or undefined if there is none. */
    body: unknown;
    /** The number of credits taken for this request. It equals the number of paid items. */
    charged: number;
    /** The charge's line in the ledger, or null if the request costs nothing. */
    chargeId: number | null;
    /**
     * Settles this request's charge. The caller pays only for processed items. Call it in the transaction of the paid
     * work.
     */
    settle: (processed?: number) => void;
  };
}
