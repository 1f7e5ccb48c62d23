export default function PublicPage() { return <main><h1>Page</h1></main>; }
