/**
 * Shows the form for one decision about all contacts of a client and a reason. The form shows the number of contacts
 * and the price first.
 */
import { describeCount } from '../../../core/quantities.ts';
import type { DecisionQueue, QueueQuery } from '../../../decisions/views/decision-queue.ts';
import { ConfirmDialog } from '../frame/parts.tsx';
import { bulkWords } from './bulk.ts';

export function BulkChoices(props: { queue: DecisionQueue; query: QueueQuery; now: number }) {
  const { queue, query, now } = props;
  const { client, reason } = clientAndReason(queue, query);
  const count = queue.reasons.find((one) => one.reason === reason?.reason)?.count ?? 0;
  if (client === null || reason === null || count < 2) return null;
  const words = bulkWords(reason.reason, count);
  if (words.length === 0) return null;
  const address = new URLSearchParams({
    client: client.id,
    reason: reason.reason,
    until: String(now),
  });
  return (
    <section class="card bulk" aria-labelledby="bulk-title">
      <h2 id="bulk-title">
        All {describeCount(count, 'contact')} of {client.name}: {reason.name.toLowerCase()}
      </h2>
      <div class="row actions">
        {words.map(({ decision, label, title, consequence, answer }) => (
          <ConfirmDialog
            key={decision}
            id={`bulk-${decision}`}
            label={label}
            title={title}
            action={`/decisions/all/${decision}?${address}`}
            answer={answer}
          >
            {consequence}
          </ConfirmDialog>
        ))}
      </div>
    </section>
  );
}

/** Returns the client and the reason that the user chose, or the only client and reason. */
function clientAndReason({ clients, reasons }: DecisionQueue, query: QueueQuery) {
  const isOnly = query.client === null && clients.length === 1;
  const client = clients.find(({ id }) => id === query.client) ?? (isOnly ? clients[0] : undefined);
  const reason = reasons.find((one) => one.reason === query.reason);
  return { client: client ?? null, reason: reason ?? null };
}
