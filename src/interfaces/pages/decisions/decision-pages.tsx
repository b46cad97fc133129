/** Renders the decision pages as strings. The routes use JSX only through this file. */
import { render, type Viewer } from '../frame/layout.tsx';
import { DecisionsPage } from './decisions-page.tsx';
import type { DecisionsPage as Content } from './read-page.ts';

/** Renders the queue of decisions. At most one open decision is shown next to the queue. */
export function renderDecisions(viewer: Viewer, content: Content, note: string | null) {
  return render(<DecisionsPage content={content} viewer={viewer} note={note} />);
}
