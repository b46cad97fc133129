import type { ChannelTest } from '../../../clients/alerts/check-channels.ts';
import type { AlertRule, AlertsView, PastAlert } from '../../../clients/views/alerts.ts';
import type { Integration } from '../../../core/integration-settings.ts';
import { may, render, type Viewer } from '../frame/layout.tsx';
import { Status, TableCell, TableHead, Timestamp } from '../frame/parts.tsx';
import { ClientPage } from './client-page.tsx';

/** The result of testing a channel. `isOwn` is true for the client's own channel. */
export type ShownTrial = ChannelTest & { isOwn: boolean };

interface AlertPageView extends AlertsView {
  /** The results of the test that the user has just started. */
  trials: ShownTrial[] | null;
  mayTest: boolean;
}

export function renderAlerts(viewer: Viewer, integration: Integration, view: AlertPageView) {
  const { channels, own, rules, history, trials, mayTest } = view;
  const isAdmin = may(viewer, 'admin');
  const isTestable = mayTest && channels.length + own.length > 0 && isAdmin;
  const ways = [...channels, ...own.map((way) => `its own ${way}`)];
  return render(
    <ClientPage integration={integration} side="alerts" viewer={viewer}>
      <section class="card" aria-labelledby="channels-title">
        <div class="card-head">
          <h2 id="channels-title">
            {ways.length === 0 ? 'No one is notified' : `Sent by ${ways.join(' and ')}`}
          </h2>
          {isTestable && (
            <form method="post" action={`/clients/${integration.id}/alerts/test`}>
              <button type="submit" class="button">
                Test
              </button>
            </form>
          )}
        </div>
        {trials?.map(({ channel, ok, problem, isOwn }) => (
          <p role="status">
            <Status
              kind={ok ? 'well' : 'failed'}
              word={isOwn ? `${channel} of this client` : channel}
            />
            : {ok ? 'the message was accepted.' : problem}
          </p>
        ))}
        <p class="quiet about">
          For all clients together, set in <code>donor-sync.yaml</code>
          {channels.length === 0 && " under alerts: email, or a webhook in Slack's format"}. You get
          one message when a problem starts, and another when it is resolved.
        </p>
        {isAdmin && (
          <p class="actions">
            <a href={`/setup/${integration.id}`}>
              {own.length === 0 ? "Send this client's alerts to a chat" : 'Change its own webhook'}
            </a>
          </p>
        )}
        <Rules rules={rules} />
      </section>
      <History history={history} now={viewer.now} />
    </ClientPage>,
  );
}

function Rules({ rules }: { rules: readonly AlertRule[] }) {
  return (
    <table class="stacks">
      <caption class="hidden">What is reported</caption>
      <TableHead texts={['Reported when', 'Status', 'Setting']} />
      <tbody>
        {rules.map(({ kind, text, isOn }) => (
          <tr>
            <th scope="row">{text}</th>
            <td data-label="Status">
              <Status kind={isOn ? 'well' : 'idle'} word={isOn ? 'on' : 'off'} />
            </td>
            <td data-label="Setting">
              <code>{kind}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function History({ history, now }: { history: readonly PastAlert[]; now: number }) {
  return (
    <section class="card" aria-labelledby="history-title">
      <h2 id="history-title">Past alerts</h2>
      {history.length === 0 ? (
        <p class="empty">Nothing was reported for this client.</p>
      ) : (
        <table class="stacks">
          <caption class="hidden">This client's alerts, newest first</caption>
          <TableHead texts={['What', 'State', 'Began', 'Ended', 'Sent']} />
          <tbody>
            {history.map(({ text, since, overAt, sentAt }) => (
              <tr>
                <th scope="row">{text}</th>
                <TableCell label="State">
                  <Status
                    kind={overAt === null ? 'attention' : 'well'}
                    word={overAt === null ? 'continues' : 'over'}
                  />
                </TableCell>
                <td data-label="Began">
                  <Timestamp at={since} now={now} />
                </td>
                <td data-label="Ended">
                  {overAt === null ? (
                    <span class="quiet">–</span>
                  ) : (
                    <Timestamp at={overAt} now={now} />
                  )}
                </td>
                <td data-label="Sent">
                  {sentAt === null ? (
                    <span class="quiet">not yet</span>
                  ) : (
                    <Timestamp at={sentAt} now={now} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
