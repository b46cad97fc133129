import { Layout, type Viewer } from './layout.tsx';

/** What a person reads instead of a page that cannot be shown. */
export function ProblemPage({ message, viewer }: { message: string; viewer: Viewer }) {
  return (
    <Layout title="Not possible" viewer={viewer}>
      <div class="card problem">
        <h1>That is not possible</h1>
        <p data-problem>{message}</p>
        <p>
          <a class="button" href="/">
            Back to the status
          </a>
        </p>
      </div>
    </Layout>
  );
}
