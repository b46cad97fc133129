import { writeCursor } from '../../../core/cursor.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import type { QueueItem, QueueQuery } from '../../../decisions/views/decision-queue.ts';
import { Layout, may, type Viewer } from '../frame/layout.tsx';
import { Icon, NamedId, Timestamp } from '../frame/parts.tsx';
import { Approvals } from './approvals.tsx';
import { BulkChoices } from './bulk-choices.tsx';
import { OpenPanel } from './open-decision.tsx';
import { type DecisionsPage as Content, decisionHref, queueWords } from './read-page.ts';

export function DecisionsPage(props: { content: Content; viewer: Viewer; note: string | null }) {
  const { content, viewer, note } = props;
  const { query, queue, items, open, undo, approvals } = content;
  const mayDecide = may(viewer, 'decider');
  const maySee = may(viewer, 'reader');
  return (
    <Layout
      area="decisions"
      title={open === null ? 'Decisions' : buildTitle(open.item)}
      viewer={viewer}
      note={note}
      assets={['decisionStyles', 'decisionScript']}
    >
      {undo !== null && <UndoBar undo={undo} query={query} now={viewer.now} />}
      <div class="decisions-head">
        <h1>Decisions</h1>
        <p class="quiet">
          {queue.total === 0
            ? 'No decisions are pending.'
            : `${describeCount(queue.total, 'decision')} pending.`}
          {approvals.length > 0 &&
            ` ${describeCount(approvals.length, 'action')} ${approvals.length === 1 ? 'waits' : 'wait'} for a second user.`}
        </p>
      </div>
      {approvals.length > 0 && <Approvals approvals={approvals} now={viewer.now} />}
      {queue.total > 0 && <Filters content={content} />}
      {queue.total > 0 && mayDecide && open === null && (
        <BulkChoices queue={queue} query={query} now={viewer.now} />
      )}
      {(queue.total > 0 || open !== null) && (
        <div class={open === null ? 'decisions none-open' : 'decisions'}>
          <nav class="queue" aria-label="Queue">
            {items.length === 0 ? (
              <p class="empty">No pending decisions of this kind.</p>
            ) : (
              <ul>
                {items.map((item) => (
                  <QueueEntry
                    key={item.id}
                    item={item}
                    query={query}
                    isOpen={item.id === open?.item.id}
                    now={viewer.now}
                    isNamed={maySee && item.about === 'contact'}
                  />
                ))}
              </ul>
            )}
            {open === null && queue.next !== null && (
              <a
                class="button"
                href={`/decisions${queueWords(query, { after: writeCursor([...queue.next]) })}`}
              >
                More
              </a>
            )}
          </nav>
          <div class="open-decision">
            {open === null ? (
              <NoneOpen first={items[0]} query={query} />
            ) : (
              <OpenPanel key={open.item.id} open={open} query={query} viewer={viewer} />
            )}
            {mayDecide && <Legend />}
          </div>
        </div>
      )}
    </Layout>
  );
}

/** Builds the title of a page without names, because browsers store titles. */
function buildTitle({ subject, integration }: QueueItem): string {
  return `${subject} of ${integration.name} · Decisions`;
}

function Filters({ content: { query, queue } }: { content: Content }) {
  const { client, reason, order } = query;
  const all = queue.reasons.reduce((sum, { count }) => sum + count, 0);
  return (
    <div class="decision-filters">
      {queue.clients.length > 1 && (
        <form class="row" method="get" action="/decisions">
          <label for="client">Client</label>
          <select id="client" name="client">
            <option value="">All ({formatCount(queue.total)})</option>
            {queue.clients.map(({ id, name, count }) => (
              <option value={id} selected={id === client}>
                {name} ({formatCount(count)})
              </option>
            ))}
          </select>
          {reason !== null && <input type="hidden" name="reason" value={reason} />}
          {order !== 'oldest' && <input type="hidden" name="order" value={order} />}
          <button type="submit" class="button small">
            Show
          </button>
        </form>
      )}
      <nav class="chips" aria-label="Reasons">
        <Chip
          query={{ ...query, reason: null }}
          isOn={reason === null}
          text="Every reason"
          count={all}
        />
        {queue.reasons.map((one) => (
          <Chip
            query={{ ...query, reason: one.reason }}
            isOn={one.reason === reason}
            text={one.name}
            count={one.count}
          />
        ))}
      </nav>
      <nav class="chips" aria-label="Order">
        <OrderLink query={query} order="oldest" text="Oldest first" />
        <OrderLink query={query} order="newest" text="Newest first" />
      </nav>
    </div>
  );
}

function OrderLink(props: { query: QueueQuery; order: QueueQuery['order']; text: string }) {
  const { query, order, text } = props;
  return (
    <a
      class="chip"
      href={`/decisions${queueWords({ ...query, order })}`}
      {...(query.order === order ? { 'aria-current': 'true' as const } : {})}
    >
      {text}
    </a>
  );
}

function Chip(props: { query: QueueQuery; isOn: boolean; text: string; count: number }) {
  const { query, isOn, text, count } = props;
  return (
    <a
      class="chip"
      href={`/decisions${queueWords(query)}`}
      {...(isOn ? { 'aria-current': 'true' as const } : {})}
    >
      {text} <span class="chip-count">{formatCount(count)}</span>
    </a>
  );
}

function QueueEntry(props: {
  item: QueueItem;
  query: QueueQuery;
  isOpen: boolean;
  now: number;
  isNamed: boolean;
}) {
  const { item, query, isOpen, now, isNamed } = props;
  return (
    <li>
      <a
        href={decisionHref(item, query)}
        {...(isOpen ? { 'aria-current': 'true' as const, id: 'current' } : {})}
      >
        <span class="queue-name">{item.name}</span>
        <span class="queue-subject">
          {isNamed ? <NamedId id={item.subject} client={item.integration.id} /> : item.subject}
        </span>
        <span class="quiet">
          {item.integration.name} · <Timestamp at={item.since} now={now} />
        </span>
      </a>
    </li>
  );
}

function NoneOpen({ first, query }: { first: QueueItem | undefined; query: QueueQuery }) {
  if (first === undefined) return null;
  return (
    <div class="card">
      <h2>One at a time</h2>
      <p class="actions">
        Open a decision to see all its details here. Names are fetched from the CRM and the service
        when you open it, and are not stored. The audit records that you saw them.
      </p>
      <a
        class="button primary"
        href={decisionHref(first, query)}
        data-key="j"
        aria-keyshortcuts="J"
      >
        Open the first one
      </a>
    </div>
  );
}

function UndoBar(props: { undo: NonNullable<Content['undo']>; query: QueueQuery; now: number }) {
  const { undo, query, now } = props;
  const seconds = Math.max(1, Math.ceil((undo.countsAt - now) / 1_000));
  return (
    <div class="undo" role="status" data-undo={String(seconds)}>
      <Icon kind="well" />
      <p>
        {undo.text}. It takes effect in <span data-seconds>{describeCount(seconds, 'second')}</span>
        , or when the next run starts.
      </p>
      <form method="post" action={`/decisions/answers/${undo.id}/withdraw${queueWords(query)}`}>
        <button type="submit" class="button small" data-key="u" aria-keyshortcuts="U">
          Undo
        </button>
      </form>
    </div>
  );
}

const KEYS = [
  ['A', 'approve'],
  ['R', 'reject'],
  ['N', 'ask again'],
  ['J', 'next'],
  ['K', 'previous'],
  ['U', 'undo'],
] as const;

/** Explains the keyboard shortcuts. Users can switch the shortcuts off, because speech software may type letters. */
function Legend() {
  return (
    <div class="legend quiet" hidden data-legend>
      <ul aria-label="Keys">
        {KEYS.map(([key, text]) => (
          <li>
            <kbd>{key}</kbd> {text}
          </li>
        ))}
      </ul>
      <button type="button" class="button small" aria-pressed="true" data-keys-switch>
        Keyboard shortcuts are on
      </button>
    </div>
  );
}
