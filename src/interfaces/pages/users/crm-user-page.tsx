import type { LinkedCrmUser } from '../../../operations/doors/link.ts';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { TableCell, TableHead, Timestamp } from '../frame/parts.tsx';

export interface LinkView {
  /** The CRM user, or null if the link no longer works. */
  user: { crm: string; account: string; user: string; email: string } | null;
  /** False for a browser that signed in with an access token. */
  isUser: boolean;
  /** True if the user has proved their identity within the last ten minutes. */
  isProven: boolean;
}

/** Renders the page that links a CRM user. The page explains whose rights the CRM user gets. */
export function renderLink(viewer: Viewer, { user, isUser, isProven }: LinkView) {
  if (user === null) {
    return render(
      <Layout title="This link no longer works" viewer={viewer}>
        <div class="card problem">
          <h1>This link no longer works</h1>
          <p>
            A link works once, within ten minutes. Reload the record in the CRM, and follow the new
            link on the card.
          </p>
        </div>
      </Layout>,
    );
  }
  const { crm, account, user: id, email } = user;
  const name = viewer.principal?.name ?? 'you';
  return render(
    <Layout title={`Link a user of ${crm}`} viewer={viewer}>
      <div class="card sign-in">
        <h1>Link a user of {crm}</h1>
        <p>
          User <strong>{id}</strong> of the {crm} account <strong>{account}</strong>
          {email !== '' && (
            <>
              {' '}
              ({email}, as {crm} reports it)
            </>
          )}{' '}
          will act in {crm} with the rights of <strong>{name}</strong>. There, this user can see
          values, enhance contacts and make decisions in your name.
        </p>
        <p>Link only your own user. If someone sent you this link, close the page.</p>
        <LinkForm isUser={isUser} isProven={isProven} />
      </div>
    </Layout>,
  );
}

function LinkForm({ isUser, isProven }: Pick<LinkView, 'isUser' | 'isProven'>) {
  if (!isUser) {
    return <p>You are signed in with an access token. Sign in as a user to link your accounts.</p>;
  }
  if (!isProven) {
    return (
      <p>
        You signed in more than ten minutes ago. Sign out, sign in again, and follow the link on the
        card again.
      </p>
    );
  }
  // Without an action, the browser sends the form to the page's address, which contains the one-time value.
  return (
    <form method="post">
      <button type="submit" class="button primary">
        This is me: link
      </button>
    </form>
  );
}

/** Renders a user's links to CRM users, on the user's own account page. */
export function CrmUsers({ viewer, links }: { viewer: Viewer; links: readonly LinkedCrmUser[] }) {
  return (
    <section class="card" aria-labelledby="links-title">
      <h2 id="links-title">Your users in CRMs</h2>
      <table class="stacks">
        <caption class="hidden">Users in CRMs</caption>
        <TableHead texts={['User', 'Account', 'Linked', <span class="hidden">End</span>]} />
        <tbody>
          {links.map(({ id, crm, account, user, email, linkedAt }) => (
            <tr>
              <th scope="row">
                {crm} user {user}
                {email !== '' && <span class="quiet"> ({email})</span>}
              </th>
              <TableCell label="Account">{account}</TableCell>
              <TableCell label="Linked">
                <Timestamp at={linkedAt} now={viewer.now} />
              </TableCell>
              <td class="action">
                <form method="post" action={`/account/links/${id}/end`}>
                  <button type="submit" class="button small">
                    End
                    <span class="hidden">
                      {' '}
                      the link of {crm} user {user}
                    </span>
                  </button>
                </form>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
