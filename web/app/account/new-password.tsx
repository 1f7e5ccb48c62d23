export default function Page() { return <main><h1>new-password</h1></main>; }
