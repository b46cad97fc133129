/** What a request carries on its way through the service. */

import type { HttpBindings } from '@hono/node-server';
import type { PartnerFault } from './faults.ts';
import type { ApiKey } from './keys.ts';

/** The Hono environment of the service. */
export interface PartnerEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    fault: PartnerFault | undefined;
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

/** What the log keeps of a request besides. */
export interface RequestDetails {
  requestId: string;
  apiKey: string | null;
}
