import { findWebhooks, WEBHOOKS } from '../../../../connectors/index.ts';
import { listHookSignatures } from '../../../clients/hook-address.ts';
import {
  describeSignature,
  type HookCallView,
  type HookView,
  type WebhookView,
} from '../../../clients/views/hooks.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { describeCount, formatCount } from '../../../core/quantities.ts';
import type { NewWebhook } from '../../../operations/hooks.ts';
import { render, type Viewer } from '../frame/layout.tsx';
import { ConfirmDialog, Fact, Status, TableCell, TableHead, Timestamp } from '../frame/parts.tsx';
import { ClientPage } from './client-page.tsx';

interface WebhookPageView extends WebhookView {
  /** The webhook address that the user has just created. */
  made: NewWebhook | null;
  note: string | null;
}

export function renderWebhooks(viewer: Viewer, integration: Integration, view: WebhookPageView) {
  const { webhook, calls, made, note } = view;
  const { now } = viewer;
  return render(
    <ClientPage integration={integration} side="webhooks" viewer={viewer} note={note}>
      {made !== null && <Made made={made} />}
      <section class="card" aria-labelledby="address-title">
        <h2 id="address-title">The address</h2>
        <p class="about quiet">
          A CRM calls this address when something has changed. A run then reads the changes, long
          before the next night.
        </p>
        {webhook === null ? (
          <p class="empty">There is no address yet. The next scheduled run notices changes.</p>
        ) : (
          <Address webhook={webhook} now={now} />
        )}
        <Renew integration={integration} webhook={webhook} />
      </section>
      {(webhook !== null || calls.length > 0) && <Calls calls={calls} now={now} />}
    </ClientPage>,
  );
}

function Made({ made: { url, secret, signature } }: { made: NewWebhook }) {
  return (
    <section class="card made" aria-labelledby="made-title" role="status">
      <h2 id="made-title">Save this now: it will not be shown again</h2>
      <dl class="facts one">
        <Fact name="Address">
          <code>{url}</code>
        </Fact>
        {secret !== null && (
          <Fact name="Signing secret">
            <code>{secret}</code>
          </Fact>
        )}
      </dl>
      <p class="quiet">
        Only a hash of the address is kept. Calls to it are {describeSignature(signature)}. Add{' '}
        <code>?contact=ID</code> to it for one contact.
      </p>
    </section>
  );
}

function Address({ webhook, now }: { webhook: HookView; now: number }) {
  const { integration, signature, createdAt, lastUsedAt, ignored } = webhook;
  return (
    <>
      <dl class="facts">
        <Fact name="Address">
          <code>/hooks/{integration}/…</code>
        </Fact>
        <Fact name="Calls are">{describeSignature(signature)}</Fact>
        <Fact name="Made">
          <Timestamp at={createdAt} now={now} />
        </Fact>
        <Fact name="Last used">
          {lastUsedAt === null ? 'never' : <Timestamp at={lastUsedAt} now={now} />}
        </Fact>
      </dl>
      {ignored > 0 && (
        <p class="quiet">
          Calls named {describeCount(ignored, 'contact')} that this client's CRM account does not
          have. These contacts were ignored.
        </p>
      )}
    </>
  );
}

const SECRET_HELP = WEBHOOKS.flatMap(({ webhooks }) => webhooks.signature?.help ?? []).join(' ');

function Renew(props: { integration: Integration; webhook: HookView | null }) {
  const { integration, webhook } = props;
  const { id, name = id, crm } = integration;
  const action = `/clients/${id}/webhooks`;
  const current =
    webhook?.signature ??
    (webhook === null && findWebhooks(crm.kind)?.signature !== undefined ? crm.kind : 'none');
  return (
    <>
      <form class="line-form" method="post" action={webhook === null ? action : `${action}/rotate`}>
        <p>
          <label for="signature">Calls are</label>
          <select id="signature" name="signature">
            {listHookSignatures(crm.kind).map((kind) => (
              <option value={kind} selected={kind === current}>
                {describeSignature(kind)}
              </option>
            ))}
          </select>
        </p>
        <p>
          <label for="secret">Signing secret</label>
          <input
            id="secret"
            name="secret"
            type="password"
            autocomplete="off"
            aria-describedby="secret-help"
          />
        </p>
        <p>
          <button type="submit" class={webhook === null ? 'button primary' : 'button'}>
            {webhook === null ? 'Create an address' : 'Rotate'}
          </button>
        </p>
      </form>
      <p class="quiet" id="secret-help">
        <small>
          {SECRET_HELP} For calls signed with a secret from donor-sync, donor-sync creates the
          secret and shows it once.
          {webhook !== null &&
            ' Rotating creates a new address, and the previous address stops working at once.'}
        </small>
      </p>
      {webhook !== null && (
        <div class="row actions">
          <ConfirmDialog
            id="revoke-question"
            buttonId="revoke"
            label="Revoke"
            title={`Revoke the webhook address of ${name}?`}
            action={`${action}/revoke`}
            answer="Revoke"
          >
            Calls to this address are refused from then on, and the record of its calls is deleted.
            The schedule is not affected.
          </ConfirmDialog>
        </div>
      )}
    </>
  );
}

function Calls({ calls, now }: { calls: readonly HookCallView[]; now: number }) {
  return (
    <section class="card" aria-labelledby="calls-title">
      <h2 id="calls-title">Latest calls</h2>
      {calls.length === 0 ? (
        <p class="empty">The address has not been called yet.</p>
      ) : (
        <table class="stacks">
          <caption class="hidden">The latest calls, newest first</caption>
          <TableHead texts={['When', 'Result', 'Run']} counts={['Contacts named', 'Calls']} />
          <tbody>
            {calls.map(({ lastAt, text, isGood, run, contacts, times }) => (
              <tr>
                <th scope="row">
                  <Timestamp at={lastAt} now={now} />
                </th>
                <TableCell label="Result">
                  <Status kind={isGood ? 'well' : 'failed'} word={text} />
                </TableCell>
                <TableCell label="Run">
                  {run === null ? (
                    <span class="quiet">–</span>
                  ) : (
                    <a href={`/runs/${run}`}>its run</a>
                  )}
                </TableCell>
                <td class="number" data-label="Contacts named">
                  {contacts === 0 ? <span class="quiet">none</span> : formatCount(contacts)}
                </td>
                <td class="number" data-label="Calls">
                  {formatCount(times)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="quiet">
        <small>
          Consecutive calls with the same result share a line. The last 50 lines are kept. The lines
          do not show callers or contacts.
        </small>
      </p>
    </section>
  );
}
