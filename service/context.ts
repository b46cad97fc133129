/** What a request carries on its way through the service. */

import type { HttpBindings } from '@hono/node-server';
import type { ServiceFault } from './faults.ts';
import type { ApiKey } from './keys.ts';

/** The Hono environment of the service. */
export interface PartnerEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** What is to go wrong inside; set by the edge, if at all. */
    fault: ServiceFault | undefined;
    /** Whose request it is; set by authentication. */
    key: ApiKey;
    /** The parsed body; undefined where there is none. */
    body: unknown;
    /** Credits taken for this request: as many items are paid for. */
    charged: number;
    /** The ledger's line of the charge; null for a request that costs nothing. */
    chargeId: number | null;
    /** Settles the charge of this request, in the transaction of its work: so many items were processed. */
    settle: (processed?: number) => void;
  };
}
