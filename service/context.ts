/** The data that a request carries on its way through the service. */

import type { HttpBindings } from '@hono/node-server';
import type { ServiceFault } from './faults.ts';
import type { ApiKey } from './keys.ts';

/** The Hono environment of the service. */
export interface PartnerEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The fault to simulate inside the service. Set by the edge, if at all. */
    fault: ServiceFault | undefined;
    /** The request's key. Set by authentication. */
    key: ApiKey;
    /** The parsed body, or undefined if there is none. */
    body: unknown;
    /** The number of credits taken for this request, which is the number of items that are paid for. */
    charged: number;
    /** The charge's line in the ledger, or null for a request that costs nothing. */
    chargeId: number | null;
    /**
     * Settles the charge of this request, in the transaction of its work, with the number of processed items.
     */
    settle: (processed?: number) => void;
  };
}
