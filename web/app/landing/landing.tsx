export default function Landing() { return <main id="contenu"><h1>Parrain</h1></main>; }
