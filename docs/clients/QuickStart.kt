import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.net.http.WebSocket
import java.nio.ByteBuffer
import java.util.concurrent.CompletionStage
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit

const val API = "http://127.0.0.1:8080"
val http: HttpClient = HttpClient.newHttpClient()

/** The text of a field. An app has a library for JSON. */
fun field(json: String, name: String) = Regex("\"$name\":\"([^\"]*)\"").find(json)!!.groupValues[1]

/** Body of the answer, and the cookie that it sets, if any. */
fun call(method: String, path: String, headers: Map<String, String>, body: String? = null): Pair<String, String?> {
    val publisher = body?.let(BodyPublishers::ofString) ?: BodyPublishers.noBody()
    val request = HttpRequest.newBuilder(URI(API + path)).method(method, publisher)
    if (body != null) request.header("content-type", "application/json")
    headers.forEach(request::header)
    val answer = http.send(request.build(), BodyHandlers.ofString())
    check(answer.statusCode() < 300) { "$method $path: ${answer.statusCode()} ${answer.body()}" }
    val cookie = answer.headers().firstValue("set-cookie").map { it.substringBefore(";") }
    return answer.body() to cookie.orElse(null)
}

fun logIn(email: String, password: String): Pair<String, String> {
    val body = """{"email":"$email","password":"$password"}"""
    val (answer, cookie) = call("POST", "/v8/login?persist=true", emptyMap(), body)
    return field(answer, "access_token") to cookie!!
}

fun refresh(cookie: String): Pair<String, String> {
    val (answer, newCookie) = call("POST", "/access", mapOf("cookie" to cookie))
    return field(answer, "access_token") to (newCookie ?: cookie)
}

class Notifications(private val first: CountDownLatch) : WebSocket.Listener {
    private val parts = StringBuilder()

    override fun onText(socket: WebSocket, data: CharSequence, last: Boolean): CompletionStage<*>? =
        add(socket, data.toString(), last)

    // The notification of this walk is ASCII; an app collects the bytes of all parts before it decodes them.
    override fun onBinary(socket: WebSocket, data: ByteBuffer, last: Boolean): CompletionStage<*>? =
        add(socket, Charsets.UTF_8.decode(data).toString(), last)

    private fun add(socket: WebSocket, part: String, last: Boolean): CompletionStage<*>? {
        parts.append(part)
        if (last) {
            println("Event: ${field(parts.toString(), "type")}")
            parts.clear()
            first.countDown()
        }
        socket.request(1)
        return null
    }
}

fun main() {
    val (_, cookie) = logIn("ada@example.com", "correct horse battery")
    val (token, _) = refresh(cookie)
    val bearer = mapOf("authorization" to "Bearer $token")
    println("Logged in as ${field(call("GET", "/v8/self", bearer).first, "name")}")

    val first = CountDownLatch(1)
    val address = URI("${API.replaceFirst("http", "ws")}/await?access_token=$token")
    val socket = http.newWebSocketBuilder().buildAsync(address, Notifications(first)).join()
    // The events of a session do not come to its own sockets: change the name in another one.
    val (other, _) = logIn("ada@example.com", "correct horse battery")
    call("PUT", "/v8/self", mapOf("authorization" to "Bearer $other"), """{"name":"Ada Lovelace"}""")
    check(first.await(30, TimeUnit.SECONDS)) { "No event" }
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join()
}
